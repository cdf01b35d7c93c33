#!/bin/sh
# Runs after an installation or an upgrade: dpkg says configure and the version before, rpm says 1 or 2. A new service is not started: its
# settings come first. What a person must do is said, and is no failure: that would leave the package half configured.
set -e
old=
if [ "$1" = 2 ] || { [ "$1" = configure ] && [ -n "$2" ]; }; then old=yes; fi

exists() { id -u sett >/dev/null 2>&1; }

# create_user tries what systems have, until the user exists.
create_user() {
	exists && return
	if command -v systemd-sysusers >/dev/null; then systemd-sysusers /usr/lib/sysusers.d/sett.conf || true; fi
	exists && return
	command -v useradd >/dev/null && groupadd --force --system sett &&
		useradd --system --gid sett --no-create-home --home-dir /var/lib/sett --shell /usr/sbin/nologin --comment 'sett error tracking' sett
}

if ! create_user; then
	cat <<-'TEXT'
		sett: the user sett is missing, and this system has neither systemd-sysusers nor useradd to create it.
		Create a user and a group with this name and the home directory /var/lib/sett. Then give them their directory:
		  mkdir -p -m 700 /var/lib/sett && chown sett:sett /var/lib/sett
	TEXT
elif mkdir -m 700 /var/lib/sett 2>/dev/null; then # else it exists, with the data of before
	chown sett:sett /var/lib/sett
fi

if [ -d /run/systemd/system ]; then
	systemctl daemon-reload
	systemctl try-restart sett.service
elif [ -n "$old" ]; then
	echo 'sett: a server that runs is still the old version. This system does not run systemd, so restart it yourself.'
else
	as='su -s /bin/sh sett -c "exec sett serve"'
	# It replaces itself by the server, so that signals reach it. Not each setpriv knows users.
	if setpriv --reuid=0 true 2>/dev/null; then as='setpriv --reuid=sett --regid=sett --init-groups sett serve'; fi
	cat <<-TEXT
		sett: this system does not run systemd. Write your settings to /etc/sett/sett.env. Then start the server as root, or have your init do it:
		  (umask 077; cd /var/lib/sett; set -a; . /etc/sett/sett.env; SETT_DATA=/var/lib/sett; exec $as)
	TEXT
fi
