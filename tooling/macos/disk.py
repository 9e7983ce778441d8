#!/usr/bin/python3
"""A folder with the names of macOS: `disk.py STORE PLACE [--decomposed]` shows at PLACE, until it is unmounted, what is in STORE.

As on APFS a name is found in any case and any Unicode normalisation, and kept as it was made. With `--decomposed` it is kept decomposed, as
on HFS+. Needs FUSE (`apt-get install fuse3 libfuse2 python3-fusepy`).
"""
import errno
import os
import sys
import unicodedata

import fusepy


def key_of(name):
    return unicodedata.normalize("NFD", unicodedata.normalize("NFD", name).casefold())


class MacDisk(fusepy.Operations):
    def __init__(self, store, is_decomposed):
        self.store = store
        self.is_decomposed = is_decomposed

    def at(self, path):
        """Where a path is in the store, each name as it was made; one that is not there, as it is to be made."""
        real = self.store
        for name in path.split("/"):
            if name:
                real = os.path.join(real, self.spelled(real, name))
        return real

    def spelled(self, folder, name):
        wanted = unicodedata.normalize("NFD", name) if self.is_decomposed else name
        if os.path.lexists(os.path.join(folder, wanted)):
            return wanted
        key = key_of(name)
        try:
            return next((one for one in os.listdir(folder) if key_of(one) == key), wanted)
        except OSError:
            return wanted

    def getattr(self, path, fh=None):
        stat = os.fstat(fh) if fh is not None else os.lstat(self.at(path))
        names = ("st_mode", "st_ino", "st_nlink", "st_uid", "st_gid", "st_size", "st_atime", "st_mtime", "st_ctime")
        return {name: getattr(stat, name) for name in names}

    def readdir(self, path, fh):
        return [".", "..", *os.listdir(self.at(path))]

    def readlink(self, path):
        return os.readlink(self.at(path))

    def access(self, path, mode):
        if not os.access(self.at(path), mode):
            raise fusepy.FuseOSError(errno.EACCES)

    def chmod(self, path, mode):
        os.chmod(self.at(path), mode)

    def chown(self, path, uid, gid):
        os.chown(self.at(path), uid, gid, follow_symlinks=False)

    def mkdir(self, path, mode):
        os.mkdir(self.at(path), mode)

    def rmdir(self, path):
        os.rmdir(self.at(path))

    def unlink(self, path):
        os.unlink(self.at(path))

    def symlink(self, path, target):
        os.symlink(target, self.at(path))

    def link(self, path, target):
        os.link(self.at(target), self.at(path))

    def rename(self, old, new):
        source, target = self.at(old), self.at(new)
        if source == target:
            # Another spelling of its own name.
            name = os.path.basename(new)
            name = unicodedata.normalize("NFD", name) if self.is_decomposed else name
            target = os.path.join(os.path.dirname(target), name)
        os.rename(source, target)

    def mknod(self, path, mode, dev):
        os.mknod(self.at(path), mode, dev)

    def create(self, path, mode, fi=None):
        return os.open(self.at(path), os.O_RDWR | os.O_CREAT | os.O_EXCL, mode)

    def open(self, path, flags):
        return os.open(self.at(path), flags & ~os.O_APPEND)

    def read(self, path, size, offset, fh):
        return os.pread(fh, size, offset)

    def write(self, path, data, offset, fh):
        return os.pwrite(fh, data, offset)

    def truncate(self, path, length, fh=None):
        os.truncate(fh if fh is not None else self.at(path), length)

    def release(self, path, fh):
        os.close(fh)

    def fsync(self, path, datasync, fh):
        os.fsync(fh)

    def utimens(self, path, times=None):
        os.utime(self.at(path), times, follow_symlinks=False)

    def statfs(self, path):
        stat = os.statvfs(self.store)
        return {name: getattr(stat, name) for name in ("f_bavail", "f_bfree", "f_blocks", "f_bsize", "f_files", "f_ffree", "f_frsize", "f_namemax")}


if __name__ == "__main__":
    store, place = sys.argv[1:3]
    options = {"foreground": True, "nothreads": True, "use_ino": True, "default_permissions": True, "attr_timeout": 0, "entry_timeout": 0}
    fusepy.FUSE(MacDisk(store, "--decomposed" in sys.argv), place, allow_other=os.getuid() == 0, **options)
