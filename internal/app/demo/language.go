package demo

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// language is how a program's client reports.
type language struct {
	notifier, version, url, name string
	root                         string
	file                         func(component string) string
	method                       func(component, action string) string
	code                         func(action, line string) []string // of which the fourth is at fault
	library                      []call                             // below the application
	hosts                        []string
}

// call is a frame of a backtrace.
type call struct {
	method, file string
	line         int
	code         []string // its source; the fourth line is the one that runs
}

// frame is a call as clients report it.
type frame struct {
	Number  string            `json:"number"`
	File    string            `json:"file"`
	Method  string            `json:"method"`
	Context string            `json:"context,omitempty"`
	Source  map[string]string `json:"source,omitempty"`
}

func (c call) frame(context string) frame {
	f := frame{Number: strconv.Itoa(c.line), File: c.file, Method: c.method, Context: context}
	for i, text := range c.code {
		if f.Source == nil {
			f.Source = map[string]string{}
		}
		f.Source[strconv.Itoa(max(c.line-3+i, 1))] = text
	}
	return f
}

// trace returns a backtrace of the application's calls and those of libraries below, as JSON.
func (l language) trace(app []call, library int) json.RawMessage {
	var frames []frame
	for _, c := range app {
		frames = append(frames, c.frame("app"))
	}
	for _, c := range l.library[:min(library, len(l.library))] {
		frames = append(frames, c.frame("all"))
	}
	text, err := json.Marshal(frames)
	if err != nil {
		panic(err) // they are texts
	}
	return text
}

// step is the name of a function.
func (l language) step(verb, noun string) string {
	if l.name == "ruby" || l.name == "python" {
		return verb + "_" + noun
	}
	return verb + strings.ToUpper(noun[:1]) + noun[1:]
}

func ruby() language {
	snake := func(s string) string {
		var b strings.Builder
		for i, r := range s {
			if r >= 'A' && r <= 'Z' && i > 0 {
				b.WriteByte('_')
			}
			b.WriteRune(r)
		}
		return strings.ToLower(b.String())
	}
	return language{
		notifier: "honeybadger-ruby", version: "6.1.0", url: "https://github.com/honeybadger-io/honeybadger-ruby", name: "ruby", root: "/app",
		file: func(component string) string {
			dir := "models"
			if strings.HasSuffix(component, "Controller") {
				dir = "controllers"
			} else if strings.HasSuffix(component, "Job") {
				dir = "jobs"
			}
			return "[PROJECT_ROOT]/app/" + dir + "/" + snake(component) + ".rb"
		},
		method: func(_, action string) string { return action },
		code: func(action, line string) []string {
			return []string{"  def " + action, "    scope = current_account", "    record = scope.find_by!(params)", "    " + line, "    log_result(record)", "    record", "  end"}
		},
		library: []call{
			{method: "process_action", file: "[GEM_ROOT]/gems/actionpack-8.0.2/lib/abstract_controller/base.rb", line: 226},
			{method: "block in run_callbacks", file: "[GEM_ROOT]/gems/activesupport-8.0.2/lib/active_support/callbacks.rb", line: 109},
			{method: "instrument", file: "[GEM_ROOT]/gems/activesupport-8.0.2/lib/active_support/notifications.rb", line: 210},
			{method: "dispatch", file: "[GEM_ROOT]/gems/actionpack-8.0.2/lib/action_controller/metal.rb", line: 252},
			{method: "call", file: "[GEM_ROOT]/gems/rack-3.1.16/lib/rack/etag.rb", line: 29},
			{method: "call", file: "[GEM_ROOT]/gems/puma-6.6.0/lib/puma/configuration.rb", line: 279},
			{method: "block in start!", file: "[GEM_ROOT]/gems/puma-6.6.0/lib/puma/thread_pool.rb", line: 167},
		},
		hosts: []string{"web-1", "web-2", "web-3", "worker-1", "worker-2"},
	}
}

func javaScript() language {
	return language{
		notifier: "@honeybadger-io/js", version: "6.12.3", url: "https://github.com/honeybadger-io/honeybadger-js", name: "javascript", root: "https://www.acme.test",
		file:   func(component string) string { return "[PROJECT_ROOT]/src/components/" + component + ".tsx" },
		method: func(component, action string) string { return component + "." + action },
		code: func(action, line string) []string {
			return []string{"  const " + action + " = useCallback(async () => {", "    const cart = await getCart(cartId)", "    setBusy(true)", "    " + line, "    setBusy(false)", "    track('" + action + "')", "  }, [cartId])"}
		},
		library: []call{
			{method: "callCallback", file: "[PROJECT_ROOT]/node_modules/react-dom/cjs/react-dom.production.js", line: 4164},
			{method: "invokeGuardedCallback", file: "[PROJECT_ROOT]/node_modules/react-dom/cjs/react-dom.production.js", line: 4213},
			{method: "dispatchEvent", file: "[PROJECT_ROOT]/node_modules/react-dom/cjs/react-dom.production.js", line: 7312},
			{method: "flushWork", file: "[PROJECT_ROOT]/node_modules/scheduler/cjs/scheduler.production.js", line: 148},
		},
		hosts: []string{"www.acme.test"},
	}
}

func golang() language {
	return language{
		notifier: "honeybadger-go", version: "0.9.0", url: "https://github.com/honeybadger-io/honeybadger-go", name: "go", root: "/srv/inventory",
		file: func(component string) string {
			dir, name, _ := strings.Cut(component, ".")
			return "[PROJECT_ROOT]/internal/" + dir + "/" + strings.ToLower(name) + ".go"
		},
		method: func(component, action string) string {
			dir, name, _ := strings.Cut(component, ".")
			return fmt.Sprintf("%s.(*%s).%s", dir, name, action)
		},
		code: func(_, line string) []string {
			return []string{"\tctx, cancel := context.WithTimeout(ctx, s.timeout)", "\tdefer cancel()", "\trows, err := s.db.Query(ctx, query, sku)", "\t" + line, "\t\treturn fmt.Errorf(\"reserve %s: %w\", sku, err)", "\t}", "\treturn rows.Close()"}
		},
		library: []call{
			{method: "net/http.HandlerFunc.ServeHTTP", file: "/usr/local/go/src/net/http/server.go", line: 2294},
			{method: "net/http.(*ServeMux).ServeHTTP", file: "/usr/local/go/src/net/http/server.go", line: 2822},
			{method: "net/http.(*conn).serve", file: "/usr/local/go/src/net/http/server.go", line: 2102},
			{method: "runtime.goexit", file: "/usr/local/go/src/runtime/asm_amd64.s", line: 1700},
		},
		hosts: []string{"inv-7c9f4-2kx8p", "inv-7c9f4-9qvzt", "inv-7c9f4-lm4wd"},
	}
}

func python() language {
	return language{
		notifier: "honeybadger-python", version: "1.2.0", url: "https://github.com/honeybadger-io/honeybadger-python", name: "python", root: "/srv/ledger",
		file: func(component string) string {
			return "[PROJECT_ROOT]/" + strings.ReplaceAll(component, ".", "/") + ".py"
		},
		method: func(_, action string) string { return action },
		code: func(action, line string) []string {
			return []string{"def " + action + "(batch, *, session):", "    entries = session.scalars(select(Entry).where(Entry.batch == batch))", "    for entry in entries:", "        " + line, "        total += entry.amount", "    session.commit()", "    return total"}
		},
		library: []call{
			{method: "__protected_call__", file: "/srv/ledger/.venv/lib/python3.13/site-packages/celery/app/trace.py", line: 760},
			{method: "_execute_context", file: "/srv/ledger/.venv/lib/python3.13/site-packages/sqlalchemy/engine/base.py", line: 1967},
			{method: "do_execute", file: "/srv/ledger/.venv/lib/python3.13/site-packages/sqlalchemy/engine/default.py", line: 952},
		},
		hosts: []string{"ledger-1", "ledger-2"},
	}
}

func kotlin() language {
	return language{
		notifier: "honeybadger-java", version: "2.1.2", url: "https://github.com/honeybadger-io/honeybadger-java", name: "java", root: "/data/app/com.acme.shop",
		file:   func(component string) string { return component + ".kt" },
		method: func(component, action string) string { return "com.acme.shop." + component + "." + action },
		code: func(action, line string) []string {
			return []string{"    override fun " + action + "() {", "        val state = viewModel.state.value", "        val cart = state.cart", "        " + line, "        binding.total.text = format(cart.total)", "        analytics.log(\"" + action + "\")", "    }"}
		},
		library: []call{
			{method: "java.util.concurrent.ThreadPoolExecutor.runWorker", file: "ThreadPoolExecutor.java", line: 1137},
			{method: "java.lang.Thread.run", file: "Thread.java", line: 1012},
		},
		hosts: []string{"Pixel 9", "Galaxy S25", "Xperia 1 VI", "Pixel 8a"},
	}
}
