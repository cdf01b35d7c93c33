#!/bin/sh
# Runs after a removal, and in dpkg's case again when the settings go too: purge. rpm says 0 when no version stays, and keeps only settings that
# were changed. Data is never deleted, nor the user that owns it.
set -e
if [ -d /run/systemd/system ]; then systemctl daemon-reload; fi
if [ "$1" = remove ]; then
	echo 'sett: the settings in /etc/sett and the data in /var/lib/sett stay. To delete the settings: dpkg --purge sett'
fi
if [ "$1" != purge ] && [ "$1" != 0 ]; then exit 0; fi

# drop deletes a directory that is empty, and says that others stay.
drop() {
	if [ -d "$1" ] && ! rmdir "$1" 2>/dev/null; then echo "sett: $2 in $1 stay. To delete them: rm -r $1"; fi
}
drop /etc/sett 'your files'
drop /var/lib/sett 'the data and the user sett that owns it'
if [ -e /var/lib/sett ] || ! grep -q '^sett:[^:]*:[^:]*:[^:]*:[^:]*:/var/lib/sett:' /etc/passwd; then exit 0; fi

# The user of the package, not another one of that name, owns nothing now. Where userdel leaves its group, groupdel deletes it.
if command -v userdel >/dev/null; then
	userdel sett || true
	if grep -q '^sett:' /etc/group; then groupdel sett || true; fi
fi
