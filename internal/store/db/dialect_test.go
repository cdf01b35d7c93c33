package db

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Lists of many lengths have few texts, and mean what they mean.
func TestLengthsOfLists(t *testing.T) {
	t.Parallel()
	s, texts := &DB{dialect: sqliteDialect}, map[string]bool{}
	for n := 1; n <= 1000; n++ {
		values := make([]int64, n)
		for i := range values {
			values[i] = int64(i)
		}
		list, args := In(s, 3, values)
		texts[list] = true
		if args[0] != int64(0) || args[n-1] != int64(n-1) || len(args) > n+n/4+1 || slices.ContainsFunc(args[n:], func(v any) bool { return v != int64(n-1) }) {
			t.Fatalf("%d values became %v", n, args)
		}
		if want := fmt.Sprintf(",$%d)", len(args)+2); n > 1 && !strings.HasSuffix(list, want) {
			t.Fatalf("%s has %d arguments", list, len(args))
		}
	}
	if len(texts) > 40 {
		t.Errorf("%d texts", len(texts))
	}
	if list, args := In(s, 1, []int64(nil)); list != "(NULL)" || args != nil {
		t.Errorf("no values are %s, %v", list, args)
	}
}

// A list that is longer than any statement may be is one parameter, and means the same.
func TestLongLists(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, d *DB) {
		var numbers []int64
		var texts []string
		var keys [][]byte
		for i := range int64(70_000) {
			numbers, texts, keys = append(numbers, i), append(texts, fmt.Sprintf("t'\"é%d", i)), append(keys, []byte{byte(i), byte(i >> 8), byte(i >> 16), 0xff})
		}
		finds(t, d, "bigint", numbers[5:], numbers[7], numbers[3])
		finds(t, d, "text", texts[5:], texts[7], texts[3])
		finds(t, d, "bytea", keys[5:], keys[7], keys[3])
	})
}

// finds checks that a list holds a value, and not another.
func finds[T int64 | string | []byte](t *testing.T, d *DB, kind string, values []T, holds, lacks T) {
	t.Helper()
	list, args := In(d, 3, values)
	if len(args) > mostSpelledOut+mostSpelledOut/4 {
		t.Errorf("%d values take %d parameters", len(values), len(args))
	}
	var has, not bool
	statement := fmt.Sprintf("SELECT CAST($1 AS %s) IN %s, CAST($2 AS %s) IN %s", kind, list, kind, list)
	if kind == "bytea" && d.SQLite() {
		statement = fmt.Sprintf("SELECT $1 IN %s, $2 IN %s", list, list)
	}
	err := d.Read.QueryRowContext(t.Context(), statement, append([]any{holds, lacks}, args...)...).Scan(&has, &not)
	if err != nil || !has || not {
		t.Errorf("%s on %s: %v, %v, %v", kind, d.Engine(), has, not, err)
	}
}
