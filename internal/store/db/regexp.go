package db

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"regexp"
	"sync"

	"modernc.org/sqlite"
)

// teachRegexp registers the function behind SQLite's operator REGEXP, which fills the hole {{matches}} there. The driver adds it to every
// connection that is opened later.
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

// patterns caches compiled expressions, because a search uses the same few in every row.
type patterns struct {
	mu    sync.Mutex
	known map[string]*regexp.Regexp
}

// mostPatterns is the size of the cache; when it is exceeded, the cache is emptied.
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
