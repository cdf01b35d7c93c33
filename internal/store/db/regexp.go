package db

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"regexp"
	"sync"

	"modernc.org/sqlite"
)

// teachRegexp gives SQLite the function behind its operator REGEXP, which the hole {{matches}} stands for there. The
// driver hands it to every connection that is opened later.
var teachRegexp = sync.OnceFunc(func() {
	compiled := patterns{known: map[string]*regexp.Regexp{}}
	sqlite.MustRegisterDeterministicScalarFunction("regexp", 2, func(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
		pattern, ok := args[0].(string)
		text, alsoText := args[1].(string)
		if !ok || !alsoText {
			return nil, errors.New("REGEXP takes two texts")
		}
		expression, err := compiled.compile(pattern)
		if err != nil {
			return nil, fmt.Errorf("compile pattern of a search: %w", err)
		}
		return expression.MatchString(text), nil
	})
})

// patterns are expressions that were compiled before, since a search asks for the same few in every row.
type patterns struct {
	mu    sync.Mutex
	known map[string]*regexp.Regexp
}

// mostPatterns is how many expressions are kept; then all are dropped.
const mostPatterns = 256

func (p *patterns) compile(pattern string) (*regexp.Regexp, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if expression, ok := p.known[pattern]; ok {
		return expression, nil
	}
	expression, err := regexp.Compile(pattern)
	if err != nil {
		return nil, err
	}
	if len(p.known) >= mostPatterns {
		clear(p.known)
	}
	p.known[pattern] = expression
	return expression, nil
}
