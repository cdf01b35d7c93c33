#!/bin/sh
# Runs after an installation or an upgrade. A new service is not started: its settings come first.
set -e
systemd-sysusers /usr/lib/sysusers.d/sett.conf
if [ -d /run/systemd/system ]; then
	systemctl daemon-reload
	systemctl try-restart sett.service
fi
