package db

import (
	"context"
	"crypto/rand"
	"errors"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// alwaysSettings apply to all sessions, whatever the address says.
var alwaysSettings = map[string]string{"synchronous_commit": "on", "application_name": "sett"}

// sessionSettings apply to our PostgreSQL sessions unless the address says otherwise. A node that is cut off inside a transaction holds
// locks that all other nodes wait for. Only PostgreSQL can end that, and by default it would notice after two hours. The TCP settings
// have no effect on a unix socket.
var sessionSettings = map[string]string{
	"idle_in_transaction_session_timeout": "5s",
	"lock_timeout":                        "5s",
	"statement_timeout":                   "120s", // same as txPatience
	"tcp_keepalives_idle":                 "5",
	"tcp_keepalives_interval":             "2",
	"tcp_keepalives_count":                "3",
	"tcp_user_timeout":                    "10s",
}

// writerSettings apply to sessions that write. Their statements look rows up by key, or take the next ones in the order of an index. While
// the planner's statistics lag behind a growing table, it would rather read the whole table, or sort all rows to find the first ones.
var writerSettings = map[string]string{
	"plan_cache_mode": "force_generic_plan", "enable_seqscan": "off", "enable_bitmapscan": "off", "enable_hashjoin": "off", "enable_mergejoin": "off", "jit": "off",
}

// intakeSettings apply to sessions that store what clients report. A row that another transaction holds must not block the rows of other
// projects.
var intakeSettings = map[string]string{"lock_timeout": "1s", "statement_timeout": "10s"}

// upkeepSettings apply to sessions that change the schema, which may take any time.
var upkeepSettings = map[string]string{"lock_timeout": "0", "statement_timeout": "0", "idle_in_transaction_session_timeout": "0"}

// Sizes of the pools, in connections.
const (
	mostConnections       = 8
	mostIntakeConnections = 4 // notices, flushes, check-ins, and the test whether writing works
	mostLockSessions      = 4 // of the server, and of its spool while that is emptied
)

func (d *DB) openPostgres(ctx context.Context, o Options) error {
	d.dialect = postgresDialect
	if o.Later {
		main, err := newEndpoint("database address", o.Database)
		if err == nil {
			d.openPools(main, main, o.Tracer, o.ReadTracer)
		}
		return err
	}
	main, direct, err := findEndpoints(ctx, o.Database, o.Direct)
	if err != nil {
		return err
	}
	d.openPools(main, direct, o.Tracer, o.ReadTracer)
	if o.Replica != "" {
		return d.openReplica(main, o.Replica)
	}
	return nil
}

// openPools opens the pools, without connecting.
func (d *DB) openPools(main, direct *endpoint, tracer, readTracer pgx.QueryTracer) {
	d.Pooled = main.pooling != unpooled
	d.listener.config, d.listener.self = direct.listening(), rand.Text()
	d.Read = main.pool(mostConnections, readTracer, sessionSettings, main.chosen, alwaysSettings)
	d.Write = main.pool(mostConnections, tracer, sessionSettings, writerSettings, main.chosen, alwaysSettings)
	d.intake = main.pool(mostIntakeConnections, tracer, sessionSettings, writerSettings, intakeSettings, main.chosen, alwaysSettings)
	d.upkeep = direct.sticky(mostConnections, nil, writerSettings, direct.chosen, alwaysSettings, upkeepSettings)
	d.upkeep.SetMaxIdleConns(0)
	d.Locks = d.Write
	if d.Pooled {
		d.Locks = direct.sticky(mostLockSessions, tracer, sessionSettings, writerSettings, direct.chosen, alwaysSettings)
	}
}

// A machine that vanishes neither answers nor closes its connections. Both ends probe each other, so that a connection to such a machine
// is known to be dead within deadAfter, even while it is idle.
const (
	hostTimeout   = 2 * time.Second // to connect to one host, if the address does not set it
	keepAliveIdle = 2 * time.Second
	keepAliveStep = time.Second
	keepAliveMost = 3
	deadAfter     = keepAliveIdle + keepAliveMost*keepAliveStep
	shunFor       = 5 * time.Second // a host that did not answer, while another one does
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

// dialer connects to hosts of PostgreSQL. It skips a host that did not answer for a while, if another one has answered since: otherwise
// each new connection would first wait for that host.
type dialer struct {
	net net.Dialer

	mu       sync.Mutex
	silent   map[string]time.Time // addresses that did not answer, and when
	answered time.Time            // when any of them last answered
}

func newDialer() *dialer {
	alive := net.KeepAliveConfig{Enable: true, Idle: keepAliveIdle, Interval: keepAliveStep, Count: keepAliveMost}
	return &dialer{net: net.Dialer{KeepAliveConfig: alive, Control: dropUnanswered}, silent: map[string]time.Time{}}
}

// errSilent says that a host was skipped.
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
