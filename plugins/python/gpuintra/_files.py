"""Files that replace older ones when they are complete, by the rules of the programs."""
import errno
import fcntl
import os
import stat


def _follow(path):
    """The path behind links. In a folder such as /tmp a link is followed only if it belongs to the
    user or to the owner of the folder, as the kernel does with fs.protected_symlinks."""
    for _ in range(40):
        try:
            text = os.readlink(path)
        except OSError:
            return path
        link = os.lstat(path)
        folder = os.stat(os.path.dirname(path) or ".")
        if folder.st_mode & stat.S_ISVTX and folder.st_mode & stat.S_IWOTH and \
                link.st_uid not in (os.geteuid(), folder.st_uid):
            raise OSError(errno.EACCES, "a link of another user is not followed", path)
        path = os.path.join(os.path.dirname(path), text)
    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path)


def _is(number, path):
    """Whether the path is the file of the descriptor."""
    try:
        mine, named = os.fstat(number), os.lstat(path)
    except OSError:
        return False
    return (mine.st_dev, mine.st_ino) == (named.st_dev, named.st_ino)


def _lock(number, path):
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise OSError(errno.EWOULDBLOCK, "another process is writing it", path) from None
    except OSError:
        pass  # a file system without locks


def _remove_older(part):
    """Removes what a run that was killed has left."""
    try:
        number = os.open(part, os.O_WRONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        if not stat.S_ISREG(os.fstat(number).st_mode):
            raise OSError(errno.EEXIST, "is no regular file", part)
        _lock(number, part)
        if _is(number, part):
            os.unlink(part)
    finally:
        os.close(number)


def _open_part(part, mode):
    for _ in range(100):
        try:
            number = os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
        except FileExistsError:
            _remove_older(part)
            continue
        try:
            _lock(number, part)
            if _is(number, part):
                return number
        except OSError:
            os.close(number)
            raise
        os.close(number)
    raise OSError(errno.EWOULDBLOCK, "another process is writing it", part)


class NewFile:
    """A file for writing bytes, `file`. It is NAME.part until commit(); what is no regular file is
    written in place."""

    def __init__(self, path):
        self.part = None
        # Absolute, because the program may change its folder before commit().
        self._target = os.path.abspath(_follow(path))
        try:
            old = os.stat(self._target)
        except FileNotFoundError:
            old = None
        if old and not stat.S_ISREG(old.st_mode):
            # Without a buffer of Python, so that a child of fork() writes nothing twice.
            self.file = open(self._target, "wb", buffering=0)
            return
        part = f"{self._target}.part"
        number = _open_part(part, stat.S_IMODE(old.st_mode) & 0o777 if old else 0o666)
        self.part = part
        if old:
            try:
                os.fchown(number, old.st_uid, old.st_gid)
            except OSError:
                pass  # the owner remains this user
            os.fchmod(number, stat.S_IMODE(old.st_mode) & 0o777)
        self.file = open(number, "w+b", buffering=0)

    def commit(self, replace=True):
        """Completes the file. Returns None; without `replace`, if there is an older file, the path
        of the new one beside it."""
        if self.part is None:
            self.file.close()
            return None
        try:
            os.fsync(self.file.fileno())
        except OSError as problem:
            if problem.errno not in (errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP):
                raise
        if not _is(self.file.fileno(), self.part):
            raise OSError(errno.ENOENT, "moved or removed before it was complete", self.part)
        if not replace and os.path.lexists(self._target):
            self.file.close()
            return self.part
        os.rename(self.part, self._target)
        self.part = None
        self.file.close()
        _sync_folder(os.path.dirname(self._target) or ".")
        return None

    def abandon(self, keep):
        """Closes the file. Returns the path of what was written, if that is kept."""
        part, self.part = self.part, None
        if part and not keep and _is(self.file.fileno(), part):
            os.unlink(part)
        self.file.close()
        return part if keep else None


def _sync_folder(path):
    """Writes the new name to the disk; some file systems cannot."""
    try:
        number = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return
    try:
        os.fsync(number)
    except OSError:
        pass
    finally:
        os.close(number)
