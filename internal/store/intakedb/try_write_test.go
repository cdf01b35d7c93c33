package intakedb

import (
	"context"
	"fmt"
	"testing"
	"time"

	"sett/internal/store/db"
)

// Damage that only storing notices meets is not forgotten by the next look at whether something can be written.
func TestDamageOfNoticesIsRemembered(t *testing.T) {
	t.Parallel()
	var d damage
	now := time.Now()
	d.note(now, fmt.Errorf("record notices: %w", db.ErrDamaged))
	d.note(now, context.DeadlineExceeded) // says nothing of it
	if d.lately(now.Add(time.Second)) == nil {
		t.Error("it is forgotten at once")
	}
	if d.lately(now.Add(time.Hour)) != nil {
		t.Error("it is never forgotten")
	}
	d.note(now, nil)
	if d.lately(now) != nil {
		t.Error("it outlasts a notice that was stored")
	}
}
