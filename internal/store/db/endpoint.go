package db

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"maps"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

// ErrDirect is in the error chain of a connection to the address of Options.Direct that failed.
var ErrDirect = errors.New("direct address")

// endpoint is where sessions of PostgreSQL are got: a server, or a pooler in front of one.
type endpoint struct {
	config  *pgx.ConnConfig
	chosen  map[string]string // the settings in the address
	pooling pooling
}

// newEndpoint reads the address that a setting has.
func newEndpoint(setting, address string) (*endpoint, error) {
	config, err := pgx.ParseConfig(address)
	if err != nil {
		return nil, fmt.Errorf("the %s cannot be read; it has the form postgres://user:password@host:5432/name", setting)
	}
	e := &endpoint{config: config, chosen: maps.Clone(config.RuntimeParams)}
	reach(config)
	return e, nil
}

// connect opens a connection that sets nothing a pooler might refuse.
func (e *endpoint) connect(ctx context.Context) (*pgx.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	return pgx.ConnectConfig(ctx, e.bare())
}

// bare is the configuration of a connection with only those of our settings that a pooler takes.
func (e *endpoint) bare() *pgx.ConnConfig {
	own := e.config.Copy()
	own.RuntimeParams, _ = splitSettings(layered(e.chosen, alwaysSettings))
	return own
}

// listening is the configuration of the connection that listens.
func (e *endpoint) listening() *pgx.ConnConfig {
	own := e.bare()
	if e.pooling == unpooled {
		own.RuntimeParams = layered(e.chosen, alwaysSettings)
	}
	return own
}

// pool opens a pool of sessions. Later settings override earlier ones.
func (e *endpoint) pool(size int, tracer pgx.QueryTracer, all ...map[string]string) *sql.DB {
	return sized(sql.OpenDB(e.connector(tracer, layered(all...))), size)
}

// connector makes connections with settings.
func (e *endpoint) connector(tracer pgx.QueryTracer, settings map[string]string) driver.Connector {
	own := e.config.Copy()
	own.Tracer = tracer
	if e.pooling != unpooled {
		return newPooledConnector(own, settings)
	}
	own.RuntimeParams = settings
	return stdlib.GetConnector(*own)
}

// sticky is pool for sessions that keep something after a transaction.
func (e *endpoint) sticky(size int, tracer pgx.QueryTracer, all ...map[string]string) *sql.DB {
	if e.pooling == unpooled {
		return e.pool(size, tracer, all...)
	}
	own := e.config.Copy()
	own.Tracer = tracer
	return sized(sql.OpenDB(newStickyConnector(own, layered(all...))), size)
}

func sized(pool *sql.DB, size int) *sql.DB {
	pool.SetMaxOpenConns(size)
	pool.SetMaxIdleConns(size)
	return pool
}

func layered(all ...map[string]string) map[string]string {
	settings := map[string]string{}
	for _, more := range all {
		maps.Copy(settings, more)
	}
	return settings
}

// findEndpoints returns where sessions are got, and where those that keep something after a transaction are.
func findEndpoints(ctx context.Context, address, directAddress string) (main, direct *endpoint, err error) {
	if main, err = newEndpoint("database address", address); err != nil {
		return nil, nil, err
	}
	if main.pooling, err = findPooling(ctx, main); err != nil {
		return nil, nil, fmt.Errorf("open database: %w", err)
	}
	if directAddress == "" {
		if main.pooling == sharesSessions {
			return nil, nil, errNeedsDirect
		}
		return main, main, checkPooling(ctx, main)
	}
	if direct, err = newEndpoint("address of --database-direct", directAddress); err != nil {
		return nil, nil, err
	}
	if direct.pooling, err = findPooling(ctx, direct); err != nil {
		return nil, nil, fmt.Errorf("open database: %w: %w", ErrDirect, err)
	}
	if direct.pooling == sharesSessions {
		return nil, nil, errNotDirect
	}
	return main, direct, errors.Join(checkPooling(ctx, direct), checkSame(ctx, direct, main))
}
