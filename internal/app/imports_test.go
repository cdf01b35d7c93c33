package app_test

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// root is the top of the repository, as seen from this package.
const root = "../.."

// rooms says which other rooms each room may import, and why no more. "*" is every room; "store/*" is every wing of the store, but not
// the whole store. Tests are free, and so is
// setttest, which is for tests alone.
var rooms = map[string]struct {
	may []string
	why string
}{
	"phrase":  {nil, "the ground floor: parts of sentences know nothing of what they say"},
	"turn":    {nil, "whose turn it is does not depend on what for"},
	"pattern": {nil, "how much work an expression is does not depend on who wrote it"},
	"moment":  {nil, "a time is text in and a moment out; whether it can be right is for others to say"},
	"cron":    {[]string{"phrase"}, "a schedule is text in and times out"},
	"payload": {[]string{"query"}, "a body is bytes in and parts out; what it means is for others to say"},
	"query":   {[]string{"phrase", "cron"}, "a search is text in and terms out; what it finds is for the store to say"},
	"column":  {[]string{"payload", "query"}, "facets are text in and rows out; which notices they are is for the store to say"},

	"insight": {[]string{"pattern", "phrase", "query", "payload", "column", "sett"}, "events and queries are text in and rows out; whose they are and where they are kept is for others to say"},

	"objects": {[]string{"dial"}, "an object is a key and bytes; what it contains and when it is deleted is for the store to say"},

	"sourcemap": {nil, "a map is text in and positions out; where it is kept and which one applies is for others to say"},

	"run":            {[]string{"phrase"}, "reports of a job in, the run that must end out; who is notified is for others to say"},
	"sett":           {[]string{"phrase", "cron", "moment", "query", "payload", "run"}, "nouns and rules know no other room but these leaves"},
	"highlight":      {nil, "lines of source are text in and pieces out"},
	"locale":         {nil, "texts of status pages are keys in and words out; what owners write is not among them"},
	"logo":           {nil, "a picture of a stranger is bytes in and bytes out"},
	"status":         {[]string{"moment", "sett", "phrase", "locale", "logo"}, "rules of status pages know what they show, and nothing else needs to know them"},
	"signin":         {[]string{"sett", "phrase", "useragent"}, "whether someone may sign in depends on what they present and when"},
	"useragent":      {[]string{"payload"}, "what a client calls itself is text in and names out"},
	"place":          {nil, "a place is a name with an ID; what finds it and where it leads are for others to say"},
	"stats":          {[]string{"moment", "sett"}, "statistics are counts in and numbers out; what was counted is for others to say"},
	"attach":         {[]string{"sett"}, "a file of a stranger is a name and bytes; where it is kept is for others to say"},
	"owner":          {[]string{"sett", "payload"}, "rules are text in and names out; who they are is handed in"},
	"triage":         {[]string{"sett", "payload"}, "what is done with faults changes their state, and nothing that a fault is made of"},
	"maintenance":    {[]string{"moment", "sett"}, "a window is times and subjects in and decisions out; what it holds is for others to keep"},
	"release":        {[]string{"phrase", "sett"}, "releases are figures in and verdicts out; what they count is for others to say"},
	"store/schema":   {nil, "the changes of the schema are text"},
	"store/db":       {[]string{"sett", "seal", "store/schema"}, "the engine knows no noun: of sett it uses errors, ids and times"},
	"store/work":     {[]string{"sett", "store/db"}, "work is rows under a kind; how it is done is handed in"},
	"store/queue":    {[]string{"sett", "store/db"}, "what waits is claimed in one way, whatever it is"},
	"store/outbox":   {[]string{"sett", "store/db", "store/queue"}, "what is to be sent is stored with its cause, whatever that is"},
	"store/account":  {[]string{"sett", "signin", "payload", "scrub", "owner", "store/db", "store/work", "store/outbox"}, "people and projects are there before anything happens in them"},
	"store/status":   {[]string{"sett", "status", "store/db", "store/work", "store/queue", "store/outbox"}, "a page shows what is below it in the schema, and changes none of it"},
	"store/uptime":   {[]string{"sett", "run", "stats", "store/db", "store/work", "store/outbox", "store/account", "store/status"}, "what a check finds may open an incident, and never touches a fault"},
	"store/spool":    {[]string{"sett", "store/db"}, "what waits for the database is bytes in their order; what they say is for others"},
	"store/block":    {[]string{"sett", "column", "store/db"}, "what was sent with a notice is bytes under an id; whose it is and what it means is for others to say"},
	"store/fault":    {[]string{"sett", "release", "stats", "triage", "payload", "query", "column", "store/db", "store/work", "store/outbox", "store/account", "store/status", "store/block", "store/release"}, "a fault exists without what records it; that enters as a Counter"},
	"store/intake":   {[]string{"sett", "release", "stats", "scrub", "store/db", "store/outbox", "store/account", "store/uptime", "store/block", "store/release", "store/fault"}, "intake records facts and does not know who receives them"},
	"store/delivery": {[]string{"sett", "maintenance", "signin", "triage", "payload", "owner", "store/db", "store/work", "store/queue", "store/outbox", "store/account", "store/status", "store/block", "store/fault", "store/intake"}, "what is delivered may be anything below"},

	"store/release": {[]string{"sett", "release", "store/db", "store/work"}, "a release is a name with figures; what named it hands them in"},

	"store/sourcemap": {[]string{"sett", "sourcemap", "store/db", "store/work"}, "a source map is bytes under a URL; which notices it explains is for others to say"},

	"store/insight": {[]string{"turn", "sett", "column", "insight", "store/db", "store/block"}, "structured events are rows of a project; of blocks they use the compression"},

	"store/storetest":  {[]string{"sett", "stats", "attach", "release", "scrub", "insight", "triage", "status", "store", "store/*", "setttest"}, "what tests of the store share, of what the store exports"},
	"store/attachment": {[]string{"sett", "attach", "store/db", "store/fault"}, "a file belongs to a notice; what is in it is for others to say"},

	"seal": {nil, "the ground floor: what is encrypted, and where it is kept, is handed in"},
	"loop": {nil, "the ground floor: running something when due knows nothing of what is run"},
	"dial": {nil, "the ground floor: connections know nothing of what they are for"},
	"docs": {nil, "documents are read by people; the manual serves them"},
	"job":  {nil, "a command runs on any machine, and none of them needs a server"},

	"group":   {[]string{"sett"}, "grouping is pure: a notice in, a fingerprint out"},
	"store":   {[]string{"sett", "stats", "scrub", "place", "signin", "status", "seal", "insight", "store/db", "store/work", "store/outbox", "store/account", "store/status", "store/uptime", "store/block", "store/release", "store/fault", "store/intake", "store/sourcemap", "store/insight", "store/attachment", "store/delivery"}, "the store remembers what rules of sett decide, and imports nothing above it"},
	"serve":   {[]string{"sett"}, "how any handler is served must not depend on what one does"},
	"probe":   {[]string{"sett", "status", "dial"}, "a probe returns a result and stores nothing"},
	"channel": {[]string{"sett", "triage", "dial"}, "a channel sends one message and stores nothing"},

	"backup": {[]string{"sett"}, "a backup is a file; who makes the copy of the database hands it in"},

	"acme": {[]string{"sett", "store/db", "store/account"}, "certificates know names; who says which are served is handed in"},

	"auth": {[]string{"sett", "signin", "store/account", "store/uptime", "store/intake", "serve", "dial"}, "who is asking is decided before anything is done"},

	"prober": {[]string{"sett"}, "when a site is checked depends on the site alone; who probes and who takes the reports is handed in"},

	"agent":           {[]string{"sett", "dial", "prober"}, "an agent speaks to a server and has no database"},
	"ingest/scan":     {[]string{"sett"}, "JSON is text in and values out; of sett it uses errors"},
	"scrub":           {[]string{"pattern", "payload", "sett", "ingest/scan"}, "scrubbing is pure: a document in, the same without secrets out; what of a person is erased or masked is text in and text out"},
	"ingest/repair":   {nil, "a body is bytes in and JSON out; what it means is for its reader to say"},
	"ingest/event":    {[]string{"sett", "payload", "group", "scrub", "ingest/scan", "ingest/repair"}, "what clients send is read without knowing where it goes"},
	"ingest/upload":   {[]string{"turn", "sett", "sourcemap", "store/sourcemap", "serve"}, "an upload waits, is decoded and stored, whatever protocol it came with"},
	"ingest/notice":   {nil, "what a notice says is handed in"},
	"ingest/sentry":   {[]string{"moment", "sett", "run", "stats", "release", "payload", "insight", "ingest/ndjson", "ingest/scan", "ingest/notice"}, "a protocol is bytes in and notices out"},
	"ingest/airbrake": {[]string{"moment", "sett", "ingest/scan", "ingest/notice"}, "a protocol is bytes in and notices out"},
	"ingest/ndjson":   {[]string{"moment", "sett", "insight", "ingest/scan", "ingest/repair"}, "a body is bytes in and events out"},
	"ingest/stack":    {[]string{"ingest/notice"}, "a stack is text in and frames out"},
	"ingest/otlp":     {[]string{"moment", "sett", "insight", "ingest/ndjson", "ingest/scan", "ingest/notice", "ingest/stack"}, "a protocol is bytes in and notices out"},

	"ingest":     {[]string{"moment", "turn", "unminify", "stats", "attach", "payload", "sett", "release", "scrub", "insight", "ingest/ndjson", "ingest/event", "ingest/notice", "ingest/repair", "ingest/scan", "ingest/sentry", "ingest/airbrake", "ingest/otlp", "ingest/upload", "sourcemap", "store/db", "store/uptime", "store/block", "store/release", "store/fault", "store/intake", "store/sourcemap", "store/insight", "store/attachment", "store/spool", "auth", "serve"}, "intake records facts and never knows who is notified"},
	"watch":      {[]string{"sett", "store", "auth", "serve", "loop", "probe", "prober"}, "what runs by the clock records facts and never knows who is notified"},
	"notify":     {[]string{"phrase", "locale", "sett", "signin", "triage", "status", "payload", "store/*", "loop", "channel"}, "telling people starts from alert rows, never from who wrote them"},
	"api":        {[]string{"moment", "cron", "maintenance", "attach", "unminify", "sett", "release", "scrub", "owner", "insight", "stats", "triage", "status", "payload", "store/*", "auth", "serve", "channel", "probe", "group"}, "an interface reads and changes the store; of channel, probe and group it needs their lists of kinds alone"},
	"web":        {[]string{"moment", "unminify", "maintenance", "attach", "phrase", "sourcemap", "sett", "run", "release", "scrub", "owner", "insight", "locale", "logo", "highlight", "signin", "useragent", "stats", "place", "triage", "status", "payload", "cron", "query", "store/*", "auth", "serve", "channel", "probe", "group", "loop", "docs"}, "an interface reads and changes the store; of channel, probe and group it needs their lists of kinds alone, of loop how work in the background does"},
	"unminify":   {[]string{"sett", "payload", "sourcemap", "store/sourcemap"}, "where a frame comes from follows from the maps of its project; who asks does not matter"},
	"statuspage": {[]string{"sett", "status", "locale", "logo", "store/db", "store/outbox", "store/status", "serve"}, "public pages know no users"},
	"demo":       {[]string{"sett", "maintenance", "release", "signin", "triage", "status", "payload", "cron", "store", "store/release", "group", "insight", "scrub"}, "a history is recorded by the same methods as real data, and sends nothing"},
	"bench":      {nil, "a measurement runs sett as a process and sees it from outside alone"},
	"app":        {[]string{"*"}, "the one room that sees all others"},
	"setttest":   {[]string{"*"}, "tests may look into every room"},
	"cmd/sett":   {[]string{"app"}, "the command reads flags and leaves the rest to app"},
	"sentryapi":  {[]string{"unminify", "sett", "release", "sourcemap", "ingest/event", "ingest/upload", "store/db", "store/account", "store/fault", "store/release", "store/sourcemap", "store/uptime", "auth", "serve"}, "an interface reads and changes the store; what a name of a revision is, intake knows"},
}

// fences are packages from outside that only some rooms may import.
var fences = []struct {
	from  string // a package and those below it
	rooms []string
	why   string
}{
	{"database/sql", []string{"store", "store/*"}, "every statement is in the store"},
	{"github.com/jackc/pgx", []string{"store/db", "store/storetest", "setttest"}, "only the engine speaks to a database; setttest creates and drops those that tests use, storetest counts statements"},
	{"modernc.org/sqlite", []string{"store/db", "setttest"}, "only the engine speaks to a database; setttest records what it writes to files"},
	{"github.com/pressly/goose", []string{"store/db"}, "only the engine changes the schema"},
	{"github.com/wneessen/go-mail", []string{"channel"}, "a channel is how to tell someone; everybody else queues a mail in the store"},
	{"github.com/emersion", []string{"setttest"}, "sett sends mails and is no mail server; setttest is one for tests"},
	{"github.com/caddyserver/certmagic", []string{"acme"}, "only acme asks for certificates"},
	{"go.uber.org/zap", []string{"acme"}, "everybody logs with slog; zap is what certmagic logs with"},
	{"github.com/yuin/goldmark", []string{"web"}, "only the manual is written in Markdown"},
	{"github.com/spf13/cobra", []string{"cmd/sett"}, "only the command reads command lines"},
}

// outbound are the names by which a program connects to others. Only dial, and through it probe, channel and auth, do.
var outbound = map[string][]string{
	"net":      {"Dial", "DialTimeout", "DialTCP", "DialUDP", "Dialer"},
	"net/http": {"Get", "Head", "Post", "PostForm", "DefaultClient", "DefaultTransport", "Client", "Transport"},
	"net/smtp": {"Dial", "SendMail"},
}

// outboundRooms may use those names: bench because it speaks to a server that it started on this machine, and one file of
// the store because it connects to PostgreSQL, at the address that the operator gave.
var outboundRooms = []string{"dial", "probe", "channel", "auth", "agent", "setttest", "bench"}

// source is one Go file of this repository.
type source struct {
	path  string // from root, such as internal/store/store.go
	room  string // store, or cmd/sett
	test  bool
	lines int
	*ast.File
	set *token.FileSet
}

// sources returns every Go file of the module. No test may change what it gets: all tests share it.
func sources(t *testing.T) []source {
	t.Helper()
	all, err := readSources()
	if err != nil {
		t.Fatalf("read the sources: %v", err)
	}
	if len(all) < 20 {
		t.Fatalf("only %d Go files found: is the root still %s?", len(all), root)
	}
	return all
}

var readSources = sync.OnceValues(func() (all []source, err error) {
	err = filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && file != root && !ours(file, entry.Name()):
			return fs.SkipDir
		case entry.IsDir() || filepath.Ext(file) != ".go":
			return nil
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, file, text, parser.ParseComments)
		if err != nil {
			return err
		}
		name := strings.TrimPrefix(filepath.ToSlash(file), root+"/")
		all = append(all, source{name, roomOf(path.Dir(name)), strings.HasSuffix(name, "_test.go"), strings.Count(string(text), "\n"), parsed, set})
		return nil
	})
	return all, err
})

// ours reports whether a directory is part of this module: no test data, nothing hidden, no module of its own.
func ours(dir, name string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return name != "testdata" && !strings.HasPrefix(name, ".") && errors.Is(err, fs.ErrNotExist)
}

// roomOf returns the room that a package's directory belongs to; a room may be split by noun below itself. The wings of
// the store, and others with a line of their own, are rooms too.
func roomOf(dir string) string {
	rest, ok := strings.CutPrefix(dir, "internal/")
	if _, own := rooms[rest]; own || !ok || strings.HasPrefix(rest, "store/") {
		return rest
	}
	room, _, _ := strings.Cut(rest, "/")
	return room
}

// contains reports whether a room is among some, of which "store/*" stands for all wings of the store.
func contains(rooms []string, room string) bool {
	parent, _, _ := strings.Cut(room, "/")
	return slices.Contains(rooms, room) || slices.Contains(rooms, parent+"/*")
}

// allows reports whether a room may import another. Other rooms that may import the whole store may import its wings.
func allows(may []string, room, other string) bool {
	parent, _, _ := strings.Cut(other, "/")
	outside := room != parent && !strings.HasPrefix(room, parent+"/")
	return contains(may, other) || slices.Contains(may, "*") || outside && slices.Contains(may, parent)
}

// imports returns the paths that the file imports.
func (s source) imports() (paths []string) {
	for _, i := range s.Imports {
		if p, err := strconv.Unquote(i.Path.Value); err == nil {
			paths = append(paths, p)
		}
	}
	return paths
}

func TestRoomsImportOnlyWhatTheyMay(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		rule, known := rooms[s.room]
		if !known {
			t.Errorf("%s is in room %s, which has no line in the table of rooms", s.path, s.room)
			continue
		}
		for _, p := range s.imports() {
			other, ours := strings.CutPrefix(p, "sett/")
			if other = roomOf(other); !ours || other == s.room {
				continue
			}
			if !allows(rule.may, s.room, other) {
				t.Errorf("%s imports %s: %s → %s is not allowed, because %s", s.path, p, s.room, other, rule.why)
			}
			if other == "store/storetest" || other == "setttest" && s.room != "store/storetest" {
				t.Errorf("%s imports %s: %s is for tests alone", s.path, p, other)
			}
		}
	}
}

func TestFencedPackagesStayInTheirRooms(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		for _, p := range s.imports() {
			for _, f := range fences {
				if s.test || p != f.from && !strings.HasPrefix(p, f.from+"/") || contains(f.rooms, s.room) {
					continue
				}
				t.Errorf("%s imports %s, which only %s may: %s", s.path, p, strings.Join(f.rooms, " and "), f.why)
			}
		}
	}
}

func TestOutboundConnectionsGoThroughDial(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		if s.test || slices.Contains(outboundRooms, s.room) || s.path == "internal/store/db/connection.go" {
			continue
		}
		names := map[string]string{} // by which the file calls the packages
		for _, p := range s.imports() {
			names[path.Base(p)] = p
		}
		ast.Inspect(s.File, func(n ast.Node) bool {
			call, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if pkg, ok := call.X.(*ast.Ident); ok && slices.Contains(outbound[names[pkg.Name]], call.Sel.Name) {
				t.Errorf("%s uses %s.%s: outbound connections go through dial, which keeps them off forbidden networks",
					s.set.Position(call.Pos()), pkg.Name, call.Sel.Name)
			}
			return true
		})
	}
}

func TestPackagesSayWhatTheyAre(t *testing.T) {
	t.Parallel()
	docs := map[string][]string{} // package → the files that describe it
	for _, s := range sources(t) {
		dir := path.Dir(s.path)
		if !strings.HasPrefix(dir, "internal/") || s.test {
			continue
		}
		if docs[dir] == nil {
			docs[dir] = []string{} // so that a package that nothing describes is in the map too
		}
		if s.Doc == nil {
			continue
		}
		docs[dir] = append(docs[dir], s.path)
		lines := s.set.Position(s.Doc.End()).Line - s.set.Position(s.Doc.Pos()).Line + 1
		if lines < 3 || lines > 8 {
			t.Errorf("%s describes its package in %d lines; 3 to 8 say what comes in, what goes out and what it never does", s.path, lines)
		}
	}
	for dir, files := range docs {
		if len(files) != 1 {
			t.Errorf("%s has a package comment in %d files (%s), want one", dir, len(files), strings.Join(files, ", "))
		}
	}
}

func TestFilesAreShort(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		if s.lines > 500 {
			t.Errorf("%s has %d lines; beyond 500 it holds more than one noun", s.path, s.lines)
		}
	}
}

func TestNoRoomForEverything(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		stem := strings.TrimSuffix(strings.TrimSuffix(path.Base(s.path), ".go"), "_test")
		for _, name := range append(strings.Split(path.Dir(s.path), "/"), stem, s.Name.Name) {
			if slices.Contains([]string{"util", "utils", "common", "helper", "helpers", "types", "misc", "shared"}, name) {
				t.Errorf("%s is named %s, which says nothing of what is in it", s.path, name)
				break
			}
		}
	}
}
