package store

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"testing/fstest"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

//go:embed schema/*.sql
var schema embed.FS

// Migrate brings the schema to the newest version and returns the versions before and after. Nodes that start at the
// same time on PostgreSQL wait for one another.
func (s *Store) Migrate(ctx context.Context) (from, to int64, err error) {
	p, err := s.provider()
	if err != nil {
		return 0, 0, err
	}
	if from, err = p.GetDBVersion(ctx); err != nil {
		return 0, 0, fmt.Errorf("read schema version: %w", err)
	}
	if _, err = p.Up(ctx); err != nil {
		return from, from, fmt.Errorf("migrate schema: %w", err)
	}
	to, err = p.GetDBVersion(ctx)
	return from, to, err
}

// Current reports whether the schema is the one that this program was written for.
func (s *Store) Current(ctx context.Context) (bool, error) {
	p, err := s.provider()
	if err != nil {
		return false, err
	}
	pending, err := p.HasPending(ctx)
	return !pending, err
}

func (s *Store) provider() (*goose.Provider, error) {
	files, err := s.renderedSchema()
	if err != nil {
		return nil, err
	}
	options := []goose.ProviderOption{goose.WithDisableGlobalRegistry(true)}
	if s.dialect == postgresDialect {
		locker, err := lock.NewPostgresSessionLocker()
		if err != nil {
			return nil, fmt.Errorf("make migration lock: %w", err)
		}
		options = append(options, goose.WithSessionLocker(locker))
	}
	return goose.NewProvider(s.dialect.goose, s.write, files, options...)
}

// renderedSchema is the schema with its holes filled for this engine.
func (s *Store) renderedSchema() (fs.FS, error) {
	files := fstest.MapFS{}
	names, err := fs.Glob(schema, "schema/*.sql")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		text, err := schema.ReadFile(name)
		if err != nil {
			return nil, err
		}
		files[name[len("schema/"):]] = &fstest.MapFile{Data: []byte(s.dialect.render(string(text)))}
	}
	return files, nil
}
