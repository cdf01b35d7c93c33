package db

import (
	"context"
	"slices"
)

// RoundTrip is a pipelined transaction that reads once, and writes what follows from that.
type RoundTrip struct {
	Read  RowsStatement
	Scan  func(Row) error        // called with each row
	Write func() []RowsStatement // called after that; the returned statements that have rows run in order
}

// RowsStatement is a statement with a {{rows}} hole, and the columns of the rows: slices of equal length.
type RowsStatement struct {
	Text    string
	Columns []any
	Wakes   Topic // the topic to wake if there were rows; "": none
}

type Row interface{ Scan(...any) error }

// InRoundTrip runs the transaction that begin describes, and restarts it on a conflict with another node. It must not change anything that
// knownFaults caches, and wakes only the topics that its statements name.
func (d *DB) InRoundTrip(ctx context.Context, what string, begin func() RoundTrip) error {
	return d.InPipelinedIntakeTx(ctx, what, func(t *Tx) error { return t.roundTrip(ctx, begin()) })
}

func (t *Tx) roundTrip(ctx context.Context, e RoundTrip) error {
	t.KeepsCaches = true
	t.Ask(e.Read.Text, e.Scan, e.Read.Columns...)
	if err := t.Answers(ctx); err != nil {
		return err
	}
	writes := filled(e.Write())
	t.Unsynced = len(writes) == 0
	return t.EachOf(ctx, writes)
}

// EachOf runs each statement for all of its rows; see Later.
func (t *Tx) EachOf(ctx context.Context, statements []RowsStatement) error {
	for _, st := range statements {
		if err := t.Later(ctx, st.Text, st.Columns...); err != nil {
			return err
		}
	}
	for _, topic := range wokenBy(statements) {
		t.Wake(topic)
	}
	return nil
}

// wokenBy returns the distinct topics of the statements.
func wokenBy(statements []RowsStatement) (topics []Topic) {
	for _, st := range filled(statements) {
		if st.Wakes != "" && !slices.Contains(topics, st.Wakes) {
			topics = append(topics, st.Wakes)
		}
	}
	return topics
}

// filled returns the statements that have rows.
func filled(statements []RowsStatement) (with []RowsStatement) {
	for _, st := range statements {
		if length(st.Columns[0]) > 0 {
			with = append(with, st)
		}
	}
	return with
}
