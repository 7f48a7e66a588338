# A Slurm of one node for tests, without systemd and cgroups, which source this file after
# common/shell.sh: munged, slurmctld and slurmd as this user on the loopback interface, with two
# GPUs that are /dev/zero and /dev/full. They end with the test.
# shellcheck shell=bash
# shellcheck disable=SC2094,SC2154
PATH=$PATH:/usr/sbin:/sbin
need sbatch:slurm-wlm slurmctld:slurm-wlm slurmd:slurm-wlm munged:munge

# Not the work folder, whose name may be too long for a socket. munged wants it to be accessible.
slurm=$(mktemp -d /tmp/slurm.XXXXXX) && chmod 755 "$slurm" || exit 1
export SLURM_CONF=$slurm/slurm.conf
end_slurm() {
	[ $BASHPID = $$ ] || return
	# The tasks are not in the process groups of the daemons.
	timeout 5 scancel --quiet --signal=KILL --full --user="$(id -un)" 2>/dev/null
	timeout 5 scancel --quiet --user="$(id -un)" 2>/dev/null
	{ kill "${served[@]}" && wait "${served[@]}"; } 2>/dev/null
	clean_up
	rm -rf "$slurm"
}
trap end_slurm EXIT

# serve NAME COMMAND...: a daemon that stays in the foreground, with its log.
served=()
serve() {
	"${@:2}" </dev/null >>"$slurm/$1.log" 2>&1 &
	served=($! "${served[@]}")
}
# eventually SECONDS COMMAND...: the command succeeds within the time.
eventually() {
	local end=$((SECONDS + $1))
	shift
	until "$@" >/dev/null 2>&1; do
		[ $SECONDS -lt $end ] || return 1
		sleep 0.1
	done
}

# cred_expire bounds how long a requeued job waits: two minutes without it.
start_slurm() {
	local host port=$((20000 + $$ % 10000 * 2)) user
	host=$(hostname -s) user=$(id -un)
	mkdir "$slurm/state" "$slurm/spool"
	head -c 128 /dev/urandom >"$slurm/key"
	chmod 600 "$slurm/key"
	cat >"$SLURM_CONF" <<-EOF
		ClusterName=test
		SlurmctldHost=$host(127.0.0.1)
		SlurmctldPort=$port
		SlurmdPort=$((port + 1))
		SlurmUser=$user
		SlurmdUser=$user
		AuthInfo=socket=$slurm/munge,cred_expire=5
		StateSaveLocation=$slurm/state
		SlurmdSpoolDir=$slurm/spool
		SlurmctldPidFile=$slurm/slurmctld.pid
		SlurmdPidFile=$slurm/slurmd.pid
		ProctrackType=proctrack/linuxproc
		TaskPlugin=task/none
		JobAcctGatherType=jobacct_gather/none
		MpiDefault=none
		ReturnToService=2
		KillWait=5
		MinJobAge=3600
		SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0
		SelectType=select/cons_tres
		SelectTypeParameters=CR_Core
		SlurmdParameters=config_overrides
		GresTypes=gpu
		NodeName=$host NodeAddr=127.0.0.1 CPUs=16 Gres=gpu:2
		PartitionName=all Nodes=$host Default=YES
	EOF
	printf 'Name=gpu File=/dev/%s\n' zero full >"$slurm/gres.conf"
	serve munged munged --foreground --socket="$slurm/munge" --key-file="$slurm/key" \
		--pid-file="$slurm/munged.pid" --log-file="$slurm/munged.log" \
		--seed-file="$slurm/seed"
	eventually 20 munge --socket="$slurm/munge" --no-input || return 1
	serve slurmctld slurmctld -D -f "$SLURM_CONF"
	eventually 20 scontrol ping || return 1
	serve slurmd slurmd -D -f "$SLURM_CONF" -N "$host"
	eventually 20 sh -c 'sinfo --noheader --format=%T | grep -qx idle'
}

# state JOB: prints the states of the job, or of the tasks of an array, in one line.
state() {
	scontrol --oneliner show job "$1" | sed 's/.*JobState=\([A-Z_]*\).*/\1/' | sort | uniq -c |
		tr -s ' \n' ' '
}
# is_in STATES JOB: state prints the states.
is_in() { [ "$(state "$2")" = " $1 " ]; }
# has_ended JOB: no task is pending, running or completing.
has_ended() { ! state "$1" | grep -qE 'PENDING|RUNNING|COMPLETING|REQUEUED|SUSPENDED'; }
# Ends the test if no Slurm starts.
bad_slurm() {
	bad "Slurm does not start: $(tail -qn 5 "$slurm"/*.log)"
	finish
}
# cluster_scripts: the scripts of docs/cluster.md, and gpuintra and gqueens without a GPU. fail.N: a
# byte of it makes task N fail once; hold.N: a named pipe makes it wait for a reader.
cluster_scripts() {
	local name
	for name in encode.slurm join.slurm; do job_script cluster.md $name >$name; done
	mkdir bin
	cat >bin/gpuintra <<-EOF
		#!/bin/sh
		cd "$PWD" || exit
		task=\$SLURM_ARRAY_TASK_ID
		if [ -s fail.\$task ]; then
			truncate -s -1 fail.\$task
			exit 1
		fi
		[ ! -p hold.\$task ] || set -- "\$@" --recon hold.\$task --frames-in-flight 1
		exec "$TEST_BUILDDIR/gpuintra" --backend cpu -t 1 "\$@"
	EOF
	printf '#!/bin/sh\nexec "%s/gqueens" --backend cpu "$@"\n' "$TEST_BUILDDIR" >bin/gqueens
	chmod +x bin/*
	PATH=$PWD/bin:$PATH
}
# submit INPUT PREFIX: the commands of docs/cluster.md; sets job and join.
submit() {
	local commands
	# shellcheck disable=SC2016
	commands=$(sed -n '/^    job=\$(sbatch/,/join.slurm/s/^    //p' \
		"$TEST_SRCDIR/../docs/cluster.md")
	commands=${commands//in.mov/$1}
	eval "${commands/$'\n'sbatch/$'\n'join=\$(sbatch --parsable} )"
}
