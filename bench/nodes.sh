#!/bin/sh
# Measures one to four servers of one PostgreSQL, each on a new database of a private, durable PostgreSQL:
#
#     bench/nodes.sh [bin/sett [bin/sett-bench [seconds [connections]]]]
#
# It prints what sett-bench nodes does, and what PostgreSQL did for each notice: statements, transactions, CPU, bytes of
# WAL, and how many sessions waited for a lock, on average. It needs PostgreSQL's contrib modules (pg_stat_statements).
set -eu
sett=$(realpath "${1:-bin/sett}") bench=$(realpath "${2:-bin/sett-bench}") seconds=${3:-10} connections=${4:-24}
bin=${PGBIN:-/usr/lib/postgresql/15/bin}
dir=$(mktemp -d /tmp/sett-nodes-XXXXXX)
chmod 755 "$dir"
as=
if [ "$(id -u)" = 0 ]; then
	chown postgres "$dir"
	as="setpriv --reuid=postgres --regid=postgres --clear-groups"
fi
$as "$bin/initdb" -D "$dir/data" -U sett -A trust --locale=C -E UTF8 >/dev/null
$as "$bin/postgres" -D "$dir/data" -k "$dir" -c listen_addresses= -c max_connections=200 -c shared_buffers=128MB \
	-c jit=off -c shared_preload_libraries=pg_stat_statements -c log_min_messages=fatal 2>/dev/null &
server=$!
trap 'kill -QUIT $server; wait $server || true; rm -rf "$dir"' EXIT
sql() { "$bin/psql" -h "$dir" -U sett -d "${base:-postgres}" -AtXqc "$1"; }
until sql 'SELECT 1' >/dev/null 2>&1; do sleep 0.1; done

# ticks prints the CPU of PostgreSQL, in hundredths of a second: of the processes that live, and of those that have ended.
ticks() {
	sum=$(awk '{ sub(/.*\) /, ""); print $12 + $13 + $14 + $15 }' "/proc/$server/stat")
	for p in $(cat "/proc/$server/task/$server/children"); do
		sum=$((sum + $(awk '{ sub(/.*\) /, ""); print $12 + $13 }' "/proc/$p/stat" 2>/dev/null || echo 0)))
	done
	echo "$sum"
}

for nodes in 1 2 3 4; do
	base=postgres sql "CREATE DATABASE n$nodes"
	base=n$nodes
	sql 'CREATE SCHEMA stats; CREATE EXTENSION pg_stat_statements SCHEMA stats'
	wal=$(sql 'SELECT pg_current_wal_lsn()') cpu=$(ticks)
	(while :; do
		sql "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'" || break
		sleep 0.05
	done >"$dir/waits" 2>/dev/null) &
	watch=$!
	line=$("$bench" nodes --sett "$sett" --nodes "$nodes" --connections "$connections" --duration "${seconds}s" \
		--database "postgres://sett@/n$nodes?host=$dir")
	kill $watch
	n=$(sql 'SELECT count(*) FROM notices')
	echo "$line"
	sql "SELECT format('    of PostgreSQL a notice: %s statements · %s transactions · %s µs CPU · %s bytes of WAL; waiting for locks: %s',
		round(s.calls::numeric / $n, 2), round(d.xact_commit::numeric / $n, 3), round(($(ticks) - $cpu) * 10000.0 / $n),
		round(pg_wal_lsn_diff(pg_current_wal_lsn(), '$wal') / $n), '$(awk '{ s += $1; n++ } END { printf "%.2f", s / n }' "$dir/waits")')
		FROM (SELECT sum(calls) AS calls FROM stats.pg_stat_statements WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database())) s,
			pg_stat_database d WHERE d.datname = current_database()"
	counted=$(sql 'SELECT sum(notices_count) FROM fault_counts')
	[ "$counted" = "$n" ] || echo "    $counted of $n notices are counted"
done
