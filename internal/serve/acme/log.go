package acme

import (
	"context"
	"log/slog"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// newLog returns a log for certmagic that writes warnings and errors to ours as warnings, and all else where that shows it:
// it takes for an error what it then does another way.
func newLog(to *slog.Logger) *zap.Logger { return zap.New(bridge{to: to}) }

// bridge hands on what is logged.
type bridge struct {
	to     *slog.Logger
	fields []zapcore.Field
}

// level is the level of a line in our log: routine successes are not logged.
func level(l zapcore.Level) slog.Level {
	if l >= zapcore.WarnLevel {
		return slog.LevelWarn
	}
	return slog.LevelDebug
}

func (b bridge) Enabled(l zapcore.Level) bool { return b.to.Enabled(context.Background(), level(l)) }

func (b bridge) With(fields []zapcore.Field) zapcore.Core {
	b.fields = append(b.fields[:len(b.fields):len(b.fields)], fields...)
	return b
}

func (b bridge) Check(e zapcore.Entry, checked *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if b.Enabled(e.Level) {
		return checked.AddCore(e, b)
	}
	return checked
}

func (b bridge) Write(e zapcore.Entry, fields []zapcore.Field) error {
	said := zapcore.NewMapObjectEncoder()
	for _, f := range append(b.fields[:len(b.fields):len(b.fields)], fields...) {
		f.AddTo(said)
	}
	message, args := "certificates", []any{slog.String("detail", e.Message)}
	if level(e.Level) == slog.LevelWarn {
		message = "a certificate was not obtained or checked, and is tried again"
		args = append(args, slog.String("hint", "the name must lead to this server, and ports 80 and 443 be open; check with: sett doctor"))
	}
	for key, value := range said.Fields {
		args = append(args, slog.Any(key, value))
	}
	b.to.Log(context.Background(), level(e.Level), message, args...)
	return nil
}

func (b bridge) Sync() error { return nil }
