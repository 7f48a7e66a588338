"""The record of `gsched reproduce --json`, as Markdown: what became of each claim of the papers."""
import re

from figures_tables import table, text


def cell(words):
    """Words in a cell of a table."""
    return words.replace("|", "\\|").replace("\n", " ")


def year(section):
    """Where the year of the paper ends: "Tzeng, Patney, Owens 2010, figure 6"."""
    return re.search(r"20\d\d( \(Softshell\))?", section["source"]).end()


def name(section):
    return section["source"][:year(section)]


def where(section):
    return section["source"][year(section):].lstrip(", ")


def papers(record):
    facts, rows = record["facts"], [s for s in record["sections"] if s.get("verdict")]
    count = {v: sum(s["verdict"] == v for s in rows) for v in ("holds", "does not hold",
                                                               "not measured")}
    lines = ["## Claims of the papers on %s" % record["device"], ""] + text(
        "Written by `gsched reproduce --json`, with the public meshes and scenes; its page has the",
        "tables and pictures behind each row. Of %d claims %d hold, %d do not, %d are not measured."
        % (len(rows), count["holds"], count["does not hold"], count["not measured"]),
        "Commit %s, %s, size of the loads: %s." % (
            record["commit"], facts["date"], facts["size of the loads"]))
    for paper in dict.fromkeys(name(s) for s in rows):
        lines += ["### " + paper, ""] + table(["where", "claim", "verdict", "measured"], [
            [where(s), cell(s["claim"]), s["verdict"], cell(s["reason"])]
            for s in rows if name(s) == paper])
    return lines
