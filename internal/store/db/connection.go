package db

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"maps"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

// alwaysSettings are those of all sessions, whatever the address says.
var alwaysSettings = map[string]string{"synchronous_commit": "on", "application_name": "sett"}

// sessionSettings are what PostgreSQL does with sessions of ours, unless the address says otherwise. A node that is cut off inside a transaction
// holds locks that all other nodes wait for, and PostgreSQL alone can end that: by itself it would need two hours to notice.
// The settings of TCP do nothing for a unix socket.
var sessionSettings = map[string]string{
	"idle_in_transaction_session_timeout": "5s",
	"lock_timeout":                        "5s",
	"statement_timeout":                   "120s", // as txPatience
	"tcp_keepalives_idle":                 "5",
	"tcp_keepalives_interval":             "2",
	"tcp_keepalives_count":                "3",
	"tcp_user_timeout":                    "10s",
}

// writerSettings are those of sessions that write. Their statements look rows up by their keys; a planner that has not yet
// seen how tables grow would rather read all of a table.
var writerSettings = map[string]string{
	"plan_cache_mode": "force_generic_plan", "enable_seqscan": "off", "enable_hashjoin": "off", "enable_mergejoin": "off", "jit": "off",
}

// intakeSettings are those of sessions that store what clients report. A row that another transaction holds must not keep
// the rows of other projects waiting.
var intakeSettings = map[string]string{"lock_timeout": "1s", "statement_timeout": "10s"}

// upkeepSettings are those of sessions that change the schema, which takes as long as it takes.
var upkeepSettings = map[string]string{"lock_timeout": "0", "statement_timeout": "0", "idle_in_transaction_session_timeout": "0"}

// Sizes of the pools, in connections.
const (
	mostConnections       = 8
	mostIntakeConnections = 4 // notices, folds, check-ins, and a look at whether writing works
)

func (d *DB) openPostgres(address string, tracer pgx.QueryTracer) error {
	d.dialect = postgresDialect
	config, err := pgx.ParseConfig(address)
	if err != nil {
		return errors.New("the database address cannot be read; it has the form postgres://user:password@host:5432/name")
	}
	chosen := maps.Clone(config.RuntimeParams)
	reach(config)
	pool := func(size int, settings ...map[string]string) *sql.DB {
		return openPool(config, size, append([]map[string]string{sessionSettings}, append(settings, chosen, alwaysSettings)...)...)
	}
	d.listener.config, d.listener.self = config.Copy(), rand.Text()
	maps.Copy(d.listener.config.RuntimeParams, alwaysSettings)
	d.Read = pool(mostConnections)
	config.Tracer = tracer
	d.Write = pool(mostConnections, writerSettings)
	d.intake = pool(mostIntakeConnections, writerSettings, intakeSettings)
	config.Tracer = nil
	d.upkeep = openPool(config, mostConnections, writerSettings, chosen, alwaysSettings, upkeepSettings)
	d.upkeep.SetMaxIdleConns(0)
	return nil
}

// openPool makes a pool of sessions. Later settings win over earlier ones.
func openPool(config *pgx.ConnConfig, size int, all ...map[string]string) *sql.DB {
	own := config.Copy()
	for _, settings := range all {
		maps.Copy(own.RuntimeParams, settings)
	}
	pool := stdlib.OpenDB(*own)
	pool.SetMaxOpenConns(size)
	pool.SetMaxIdleConns(size)
	return pool
}

// A machine that vanishes says nothing: neither does it answer, nor are its connections closed. Both ends look after each
// other, so that a connection to one is known to be dead within deadAfter, also while nothing is asked.
const (
	hostTimeout   = 2 * time.Second // to connect to one host, when the address does not say
	keepAliveIdle = 2 * time.Second
	keepAliveStep = time.Second
	keepAliveMost = 3
	deadAfter     = keepAliveIdle + keepAliveMost*keepAliveStep
	shunFor       = 5 * time.Second // a host that did not answer, while another does
)

// reach sets how the hosts of an address are connected to.
func reach(config *pgx.ConnConfig) {
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = hostTimeout
	}
	if hasSeveralHosts(config) && config.ValidateConnect == nil { // one of them may be a standby
		config.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite
	}
	config.DialFunc = newDialer().dial
}

func hasSeveralHosts(config *pgx.ConnConfig) bool {
	return slices.ContainsFunc(config.Fallbacks, func(f *pgconn.FallbackConfig) bool {
		return f.Host != config.Host || f.Port != config.Port
	})
}

// dialer connects to hosts of PostgreSQL. One that did not answer is left out for a while when another one did since: else
// each new connection would wait for it first.
type dialer struct {
	net net.Dialer

	mu       sync.Mutex
	silent   map[string]time.Time // addresses that did not answer, and when
	answered time.Time            // when any did last
}

func newDialer() *dialer {
	alive := net.KeepAliveConfig{Enable: true, Idle: keepAliveIdle, Interval: keepAliveStep, Count: keepAliveMost}
	return &dialer{net: net.Dialer{KeepAliveConfig: alive, Control: dropUnanswered}, silent: map[string]time.Time{}}
}

// errSilent says that a host was not tried.
var errSilent = errors.New("the host did not answer a moment ago")

func (d *dialer) dial(ctx context.Context, network, address string) (net.Conn, error) {
	if d.shuns(address, time.Now()) {
		return nil, &net.OpError{Op: "dial", Net: network, Err: errSilent}
	}
	c, err := d.net.DialContext(ctx, network, address)
	d.note(address, time.Now(), err)
	return c, err
}

func (d *dialer) shuns(address string, now time.Time) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	at, silent := d.silent[address]
	return silent && now.Sub(at) < shunFor && d.answered.After(at)
}

func (d *dialer) note(address string, now time.Time, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err == nil {
		delete(d.silent, address)
		d.answered = now
		return
	}
	d.silent[address] = now
}
