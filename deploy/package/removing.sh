#!/bin/sh
# Runs before a removal or an upgrade. dpkg says remove and rpm says 0 when no version stays.
set -e
if [ -d /run/systemd/system ] && { [ "$1" = remove ] || [ "$1" = 0 ]; }; then
	systemctl disable --now sett.service
fi
