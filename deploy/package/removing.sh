#!/bin/sh
# Runs before a removal or an upgrade. dpkg says remove and rpm says 0 when no version stays.
set -e
if [ "$1" != remove ] && [ "$1" != 0 ]; then exit 0; fi
if [ -d /run/systemd/system ]; then
	systemctl disable --now sett.service
else
	if command -v systemctl >/dev/null; then systemctl disable sett.service; fi
	echo 'sett: if you started a server yourself, stop it: this system does not run systemd.'
fi
