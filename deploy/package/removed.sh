#!/bin/sh
# Runs after a removal. The data in /var/lib/sett stays.
set -e
if [ -d /run/systemd/system ]; then
	systemctl daemon-reload
fi
