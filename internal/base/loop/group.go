package loop

import (
	"context"
	"fmt"
	"strings"
)

// Group is a number of loops that run side by side and stop together.
type Group struct {
	cancel  context.CancelFunc
	members []member
	loops   []*Loop
}

type member struct {
	name  string
	ended chan struct{}
}

// Start runs every loop in a goroutine of its own until Stop, or until ctx ends. It panics if a Loop lacks something
// that it requires.
func Start(ctx context.Context, loops ...*Loop) *Group {
	for _, l := range loops {
		l.mustBeComplete()
	}
	g := &Group{loops: loops}
	ctx, g.cancel = context.WithCancel(ctx)
	for _, l := range loops {
		m := member{l.Name, make(chan struct{})}
		g.members = append(g.members, m)
		go func() {
			defer close(m.ended)
			l.run(ctx)
		}()
	}
	return g
}

// Stop stops all loops and returns when the last has ended. If ctx ends before that, it returns an error that wraps the
// reason and names the loops whose round is still running; they end with that round.
func (g *Group) Stop(ctx context.Context) error {
	g.cancel()
	for i, m := range g.members {
		select {
		case <-m.ended:
		case <-ctx.Done():
			return stillRunning(g.members[i:], context.Cause(ctx))
		}
	}
	return nil
}

func stillRunning(members []member, reason error) error {
	var names []string
	for _, m := range members {
		select {
		case <-m.ended:
		default:
			names = append(names, m.name)
		}
	}
	if names == nil { // the last ended along with the waiting
		return nil
	}
	return fmt.Errorf("stop loops %s: %w", strings.Join(names, ", "), reason)
}
