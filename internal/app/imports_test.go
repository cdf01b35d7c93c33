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

// floors are the folders of internal, from the top down. What is in one imports what is in those below it, never the other way. setttest is
// for tests alone, which are free.
var floors = []string{"cmd", "app", "web", "api", "notify", "monitor", "ingest", "serve", "store", "sett", "event", "base"}

// rooms says which other rooms each room may import, and why no more. "*" is every room; "store/*" is every room inside the store, but not
// the package store. Tests are free, and so is setttest, which is for tests alone.
var rooms = map[string]struct {
	may []string
	why string
}{
	"base/about":                  {nil, "which sett this is, the build has recorded; who asks does not matter"},
	"base/cell":                   {nil, "the ground floor: a value is in and its text is out, whatever the table is about"},
	"base/fence":                  {nil, "it knows nothing of what an answer is about"},
	"base/phrase":                 {nil, "the ground floor: parts of sentences know nothing of what they say"},
	"base/turn":                   {nil, "whose turn it is does not depend on what for"},
	"base/moment":                 {nil, "a time is text in and a moment out; whether it can be right is for others to say"},
	"base/cron":                   {[]string{"base/phrase"}, "a schedule is text in and times out"},
	"event/origin":                {nil, "where a frame is from is names in and an answer out; who asks does not matter"},
	"event/payload":               {[]string{"event/query", "event/origin", "event/useragent"}, "a body is bytes in and parts out; what it means is for others to say"},
	"event/query":                 {[]string{"base/phrase", "base/cron"}, "a search is text in and terms out; what it finds is for the store to say"},
	"event/column":                {[]string{"event/payload", "event/query"}, "facets are text in and rows out; which notices they are is for the store to say"},
	"sett/insight":                {[]string{"base/phrase", "event/query", "event/payload", "event/column", "sett"}, "events and queries are text in and rows out; whose they are and where they are kept is for others to say"},
	"base/objects":                {[]string{"base/dial"}, "an object is a key and bytes; what it contains and when it is deleted is for the store to say"},
	"event/sourcemap":             {nil, "a map is text in and positions out; where it is kept and which one applies is for others to say"},
	"sett/run":                    {[]string{"base/phrase"}, "reports of a job in, the run that must end out; who is notified is for others to say"},
	"sett":                        {[]string{"base/cron", "base/moment", "event/query"}, "what all rooms share knows none of them"},
	"sett/alerts":                 {[]string{"base/cron", "base/phrase", "sett"}, "who receives what is decided from an alert alone; what raised it is for others to say"},
	"sett/accounts":               {[]string{"sett", "sett/alerts"}, "people and projects are there before anything happens in them"},
	"sett/faults":                 {[]string{"base/moment", "base/phrase", "event/payload", "sett", "sett/accounts", "sett/alerts"}, "a fault belongs to a project and raises alerts; who receives them is decided there"},
	"sett/checks":                 {[]string{"base/cron", "event/payload", "sett", "sett/accounts", "sett/alerts", "sett/run"}, "sites and jobs know nothing of faults"},
	"web/highlight":               {nil, "lines of source are text in and pieces out"},
	"sett/status/locale":          {nil, "texts of status pages are keys in and words out; what owners write is not among them"},
	"sett/status/card":            {nil, "a picture is texts in and bytes out"},
	"sett/status/logo":            {nil, "a picture of a stranger is bytes in and bytes out"},
	"sett/status":                 {[]string{"base/moment", "sett", "base/phrase", "sett/status/locale", "sett/status/logo", "sett/accounts", "sett/alerts", "sett/checks"}, "rules of status pages know what they show, and nothing else needs to know them"},
	"sett/directory":              {[]string{"sett", "sett/accounts"}, "what a directory says is text in, and people with roles out; who it is and where that is kept is for others to say"},
	"sett/signin":                 {[]string{"sett", "base/phrase", "event/useragent", "sett/accounts", "sett/alerts"}, "whether someone may sign in depends on what they present and when"},
	"event/useragent":             {[]string{"event/query"}, "what a client calls itself is text in and names out"},
	"sett/stats":                  {[]string{"base/moment", "sett", "sett/accounts", "sett/alerts", "sett/checks", "sett/faults"}, "statistics are counts in and numbers out; what was counted is for others to say"},
	"sett/owner":                  {[]string{"sett", "sett/repo", "event/payload"}, "rules are text in and names out; who they are is handed in"},
	"sett/regroup":                {[]string{"sett"}, "rules are text in and verdicts on names out; what has the names is handed in"},
	"sett/triage":                 {[]string{"sett", "event/payload", "sett/faults"}, "what is done with faults changes their state, and nothing that a fault is made of"},
	"sett/shape":                  {[]string{"event/payload", "sett", "sett/accounts", "sett/alerts", "sett/checks", "sett/faults"}, "an object of /v3 is a noun, or what /v2 says of it, in and the same in another form out"},
	"sett/alarm":                  {[]string{"base/phrase", "sett", "sett/alerts", "sett/insight"}, "an alarm is a count in and a state out; what counts is for others to say"},
	"sett/repo":                   {[]string{"event/payload", "sett"}, "what a host says is texts in and judgements out; who asks the host, and what becomes of errors, is for others to say"},
	"sett/maintenance":            {[]string{"base/moment", "sett", "sett/alerts"}, "a window is times and subjects in and decisions out; what it holds is for others to keep"},
	"sett/release":                {[]string{"base/phrase", "sett", "sett/faults"}, "releases are figures in and verdicts out; what they count is for others to say"},
	"store/schema":                {nil, "the changes of the schema are text"},
	"store/db":                    {[]string{"base/progress", "sett", "base/seal", "store/schema", "sett/accounts", "sett/checks"}, "the engine knows no noun: of sett it uses errors, ids and times"},
	"store/work":                  {[]string{"sett", "store/db", "sett/checks"}, "work is rows under a kind; how it is done is handed in"},
	"store/queue":                 {[]string{"store/db", "sett/checks"}, "what waits is claimed in one way, whatever it is"},
	"store/outbox":                {[]string{"store/db", "store/queue", "sett/alerts"}, "what is to be sent is stored with its cause, whatever that is"},
	"store/accountdb":             {[]string{"sett", "sett/directory", "sett/signin", "event/payload", "sett/scrub", "sett/owner", "sett/regroup", "sett/forward", "store/db", "store/work", "store/outbox", "sett/accounts", "sett/alerts", "sett/faults"}, "people and projects are there before anything happens in them"},
	"store/statusdb":              {[]string{"sett", "sett/status", "store/db", "store/work", "store/queue", "store/outbox", "sett/accounts", "sett/alerts", "sett/checks"}, "a page shows what is below it in the schema, and changes none of it"},
	"store/uptimedb":              {[]string{"sett", "sett/run", "sett/stats", "store/db", "store/work", "store/outbox", "store/accountdb", "store/statusdb", "sett/accounts", "sett/alerts", "sett/checks", "sett/faults"}, "what a check finds may open an incident, and never touches a fault"},
	"store/spool":                 {[]string{"sett", "store/db"}, "what waits for the database is bytes in their order; what they say is for others"},
	"store/block":                 {[]string{"sett", "event/column", "store/db", "sett/accounts"}, "what was sent with a notice is bytes under an id; whose it is and what it means is for others to say"},
	"store/repodb":                {[]string{"sett", "sett/accounts", "sett/repo", "store/db"}, "a repository is what people and its host say; what becomes of an error is decided there"},
	"store/faultdb":               {[]string{"sett/repo", "store/repodb", "sett", "sett/release", "sett/stats", "sett/triage", "event/payload", "event/column", "store/db", "store/work", "store/outbox", "store/accountdb", "store/statusdb", "store/block", "store/releasedb", "sett/accounts", "sett/alerts", "sett/checks", "sett/faults"}, "a fault exists without what records it; that enters as a Counter"},
	"store/searchdb":              {[]string{"sett", "sett/triage", "event/payload", "event/query", "event/column", "store/db", "store/accountdb", "store/block", "store/faultdb", "sett/accounts", "sett/faults"}, "a search reads faults and what was sent with them; what is done with those it finds is decided there"},
	"store/nodedb":                {[]string{"sett", "store/db"}, "a node is a number and ids; what counts its notices enters as a Counter"},
	"store/rollupdb":              {[]string{"sett", "sett/release", "store/db", "store/block", "store/releasedb", "store/faultdb", "store/nodedb", "sett/accounts", "sett/alerts", "sett/faults"}, "notices are counted once they are stored, whatever stored them"},
	"store/intakedb":              {[]string{"sett/repo", "store/repodb", "sett", "sett/release", "sett/stats", "sett/scrub", "store/db", "store/outbox", "store/accountdb", "store/uptimedb", "store/block", "store/releasedb", "store/faultdb", "store/nodedb", "store/rollupdb", "sett/accounts", "sett/alerts", "sett/faults"}, "intake records facts and does not know who receives them"},
	"store/deliverydb":            {[]string{"sett/repo", "store/repodb", "sett", "sett/maintenance", "sett/signin", "sett/triage", "event/payload", "sett/owner", "store/db", "store/work", "store/queue", "store/outbox", "store/accountdb", "store/statusdb", "store/block", "store/faultdb", "store/searchdb", "store/rollupdb", "sett/accounts", "sett/alerts", "sett/checks", "sett/faults"}, "what is delivered may be anything below"},
	"store/releasedb":             {[]string{"sett", "sett/release", "store/db", "store/work", "sett/faults"}, "a release is a name with figures; what named it hands them in"},
	"store/sourcemapdb":           {[]string{"sett", "event/sourcemap", "store/db", "store/work"}, "a source map is bytes under a URL; which notices it explains is for others to say"},
	"store/insightdb":             {[]string{"base/turn", "sett", "event/column", "sett/insight", "store/db", "store/block"}, "structured events are rows of a project; of blocks they use the compression"},
	"sett/dashboard":              {[]string{"base/phrase", "sett", "sett/insight"}, "a dashboard shows queries for times that queries have"},
	"store/dashboarddb":           {[]string{"sett", "sett/dashboard", "store/db", "store/accountdb"}, "dashboards are rows of a project"},
	"store/stream":                {[]string{"event/column", "event/payload", "sett", "sett/alarm", "sett/checks", "sett/faults", "sett/insight", "store/db", "store/alarmdb", "store/block", "store/faultdb", "store/uptimedb"}, "queries read what is recorded beside the events of clients, as events"},
	"store/alarmdb":               {[]string{"sett", "sett/alarm", "sett/insight", "store/db", "store/outbox", "store/statusdb"}, "an alarm is a row with its history; queries are evaluated elsewhere"},
	"store/sheet":                 {[]string{"sett", "sett/insight", "store/db", "store/accountdb", "store/uptimedb", "store/faultdb", "store/deliverydb", "store/insightdb", "store/attachmentdb", "store/repodb", "sett/accounts", "sett/alerts", "sett/checks", "sett/faults", "sett/repo"}, "a sheet is read of what is below it; what is made of it is for others to say"},
	"store/storetest":             {[]string{"sett", "sett/*", "store", "store/*", "setttest"}, "what tests of the store share, of what the store exports"},
	"store/attachmentdb":          {[]string{"sett", "store/db", "store/faultdb", "sett/faults"}, "a file belongs to a notice; what is in it is for others to say"},
	"base/progress":               {nil, "the ground floor: how far work is shown knows nothing of the work"},
	"base/seal":                   {nil, "the ground floor: what is encrypted, and where it is kept, is handed in"},
	"base/loop":                   {nil, "the ground floor: running something when due knows nothing of what is run"},
	"base/markdown":               {nil, "the ground floor: text in, safe HTML out"},
	"base/dial":                   {nil, "the ground floor: connections know nothing of what they are for"},
	"docs":                        {nil, "documents are read by people; the manual serves them"},
	"monitor/job":                 {nil, "a command runs on any machine, and none of them needs a server"},
	"ingest/group":                {[]string{"event/origin", "event/payload", "sett/faults", "sett/regroup", "sett/scan", "sett/triage"}, "grouping is pure: a notice in, a fingerprint out"},
	"store":                       {[]string{"base/progress", "sett", "sett/*", "base/seal", "store/db", "store/work", "store/outbox", "store/accountdb", "store/statusdb", "store/uptimedb", "store/block", "store/releasedb", "store/repodb", "store/faultdb", "store/searchdb", "store/nodedb", "store/rollupdb", "store/intakedb", "store/sourcemapdb", "store/insightdb", "store/alarmdb", "store/dashboarddb", "store/attachmentdb", "store/archivedb", "store/deliverydb", "store/movedb", "store/sheet", "store/stream"}, "the store remembers what rules of sett decide, and imports nothing above it"},
	"serve":                       {[]string{"sett", "sett/accounts"}, "how any handler is served must not depend on what one does"},
	"monitor/host":                {[]string{"base/dial", "sett/repo"}, "a host is asked and its answer returned; whose repository it is and what follows is for others to say"},
	"monitor/probe":               {[]string{"sett", "sett/status", "base/dial", "sett/checks"}, "a probe returns a result and stores nothing"},
	"sett/forward":                {[]string{"sett"}, "a report is bytes in and a request out; who sends it, and what became of it, is for others to say"},
	"notify/relay":                {[]string{"sett", "sett/accounts", "sett/forward"}, "a report is sent on or dropped; whose it is, what they have set and where counts are kept is handed in"},
	"notify/channel":              {[]string{"sett", "sett/triage", "base/dial", "sett/alerts"}, "a channel sends one message and stores nothing"},
	"app/backup":                  {[]string{"sett", "sett/accounts"}, "a backup is a file; who makes the copy of the database hands it in"},
	"serve/acme":                  {[]string{"sett", "store/db", "store/accountdb"}, "certificates know names; who says which are served is handed in"},
	"serve/auth":                  {[]string{"sett", "sett/signin", "store/accountdb", "store/uptimedb", "store/intakedb", "serve", "base/dial", "sett/accounts", "sett/checks"}, "who is asking is decided before anything is done"},
	"serve/idp":                   {[]string{"sett", "sett/accounts", "sett/directory", "store/accountdb"}, "a provider says who signed in; who that is here is for the store to say"},
	"serve/oauth":                 {[]string{"serve", "serve/auth", "sett", "sett/accounts", "sett/signin", "store/accountdb"}, "a program gets a token like that of a person; what it may do with it is decided where tokens are read"},
	"monitor/prober":              {[]string{"sett", "sett/checks"}, "when a site is checked depends on the site alone; who probes and who takes the reports is handed in"},
	"monitor/agent":               {[]string{"sett", "base/dial", "monitor/prober"}, "an agent speaks to a server and has no database"},
	"sett/scan":                   {[]string{"sett"}, "JSON is text in and values out; of sett it uses errors"},
	"sett/scrub":                  {[]string{"event/payload", "sett", "sett/scan"}, "scrubbing is pure: a document in, the same without secrets out; what of a person is erased or masked is text in and text out"},
	"ingest/repair":               {nil, "a body is bytes in and JSON out; what it means is for its reader to say"},
	"ingest/event":                {[]string{"sett", "event/origin", "event/payload", "event/useragent", "ingest/group", "sett/regroup", "sett/scrub", "sett/scan", "ingest/repair", "sett/accounts", "sett/faults"}, "what clients send is read without knowing where it goes"},
	"ingest/sample":               {[]string{"sett", "sett/accounts", "sett/regroup", "sett/scan", "ingest/event", "ingest/airbrake", "ingest/otlp", "ingest/sentry"}, "a kept body is read by the protocols that know it"},
	"ingest/trial":                {[]string{"sett/accounts", "sett/faults", "sett/regroup", "ingest/event"}, "a trial groups what it is given; what is stored is for others to read"},
	"ingest/upload":               {[]string{"base/turn", "sett", "event/sourcemap", "store/sourcemapdb", "serve"}, "an upload waits, is decoded and stored, whatever protocol it came with"},
	"ingest/webhook":              {[]string{"sett", "sett/repo", "sett/triage"}, "a delivery is bytes in and facts out; whose repository it is and what follows is for others to say"},
	"ingest/notice":               {nil, "what a notice says is handed in"},
	"ingest/airbrake":             {[]string{"base/moment", "sett", "sett/scan", "ingest/notice", "ingest/stack"}, "a protocol is bytes in and notices out"},
	"ingest/sentry":               {[]string{"base/moment", "sett", "sett/faults", "sett/run", "sett/stats", "sett/release", "event/origin", "event/payload", "sett/insight", "ingest/ndjson", "sett/scan", "ingest/notice", "sett/checks"}, "a protocol is bytes in and notices out"},
	"ingest/ndjson":               {[]string{"base/moment", "sett", "sett/insight", "sett/scan", "ingest/repair"}, "a body is bytes in and events out"},
	"ingest/stack":                {[]string{"ingest/notice"}, "a stack is text in and frames out"},
	"ingest/otlp":                 {[]string{"base/moment", "sett", "sett/insight", "ingest/ndjson", "sett/scan", "ingest/notice", "ingest/stack"}, "a protocol is bytes in and notices out"},
	"ingest":                      {[]string{"base/moment", "base/turn", "ingest/unminify", "event/payload", "sett", "sett/*", "ingest/ndjson", "ingest/event", "ingest/notice", "ingest/repair", "ingest/sentry", "ingest/airbrake", "ingest/otlp", "ingest/upload", "ingest/webhook", "event/sourcemap", "store/db", "store/repodb", "store/uptimedb", "store/block", "store/releasedb", "store/faultdb", "store/intakedb", "store/sourcemapdb", "store/insightdb", "store/attachmentdb", "store/spool", "serve/auth", "serve"}, "intake records facts and never knows who is notified"},
	"monitor/watch":               {[]string{"monitor/host", "sett/faults", "sett/release", "sett/repo", "base/progress", "sett", "store", "store/*", "serve/auth", "serve", "base/loop", "monitor/probe", "monitor/prober", "sett/accounts", "sett/alarm", "sett/checks", "sett/insight"}, "what runs by the clock records facts and never knows who is notified"},
	"notify":                      {[]string{"base/phrase", "sett", "sett/*", "event/payload", "store/*", "base/loop", "notify/channel", "ingest/group"}, "telling people starts from alert rows, never from who wrote them"},
	"api":                         {[]string{"base/moment", "base/cron", "ingest/unminify", "sett", "sett/*", "event/payload", "store/*", "serve/auth", "serve", "notify/channel", "monitor/probe", "ingest/group"}, "an interface reads and changes the store; of channel, probe and group it needs their lists of kinds alone"},
	"web":                         {[]string{"api/brief", "base/about", "base/cell", "base/moment", "base/markdown", "ingest/unminify", "base/phrase", "base/turn", "event/sourcemap", "sett", "sett/*", "web/highlight", "event/useragent", "event/payload", "base/cron", "event/query", "store/*", "serve/auth", "serve/oauth", "serve/idp", "serve", "notify/channel", "monitor/probe", "ingest/group", "ingest/sample", "ingest/trial", "base/loop", "docs"}, "an interface reads and changes the store; of channel, probe and group it needs their lists of kinds alone, of sample and trial what explains and tries grouping, of loop how work in the background does"},
	"ingest/unminify":             {[]string{"ingest/event", "sett", "event/origin", "event/payload", "event/sourcemap", "store/sourcemapdb"}, "where a frame comes from follows from the maps of its project; who asks does not matter"},
	"web/statuspage":              {[]string{"base/markdown", "sett", "sett/status", "sett/status/card", "sett/status/locale", "sett/status/logo", "store/db", "store/outbox", "store/statusdb", "serve", "sett/accounts", "sett/alerts", "sett/checks"}, "public pages know no users"},
	"app/demo":                    {[]string{"base/progress", "sett", "sett/*", "event/payload", "base/cron", "store", "store/*", "store/releasedb", "ingest/event", "ingest/group", "monitor/watch"}, "a history is recorded by the same methods as real data, and sends nothing"},
	"app/operate":                 {[]string{"ingest/unminify", "ingest/upload", "app/archive", "app/backup", "app/movein", "app/movein/errand", "base/about", "base/dial", "base/moment", "base/objects", "base/phrase", "base/progress", "base/seal", "ingest/group", "ingest/sample", "notify/channel", "serve", "serve/auth", "sett", "sett/*", "store", "store/*", "app/movein/fromkuma", "monitor/probe", "app/movein/fromgatus", "app/movein/fromfile", "app/movein/fromopenstatus", "app/movein/fromsentry"}, "a command works beside a server or without one: it knows the store, and nothing that serves"},
	"sett/move":                   {[]string{"sett"}, "what moves in is records in and a report out; where it is from and where it goes is for others to say"},
	"app/movein/fromsentry":       {[]string{"base/moment", "sett", "sett/move", "app/movein/remote"}, "a source reads another server and knows no database"},
	"app/client":                  {[]string{"api", "base/cell", "base/phrase", "event/payload", "event/query", "serve", "sett/alarm", "sett", "sett/accounts", "sett/ascode"}, "a command for any machine knows a server by its API alone, whose types it reads"},
	"app/terminal":                {[]string{"base/cell", "app/client"}, "rows are in and text is out; who reads it, a person or a program, is handed in"},
	"store/movedb":                {[]string{"sett", "sett/accounts", "sett/faults", "sett/move", "store/accountdb", "store/block", "store/db", "store/faultdb", "sett/release", "store/releasedb", "sett/alerts", "sett/checks", "sett/maintenance", "sett/status", "store/deliverydb", "store/statusdb", "store/uptimedb", "sett/owner"}, "what moves in is stored as it would have been here; who brings it does not matter"},
	"app/movein":                  {[]string{"event/sourcemap", "event/sourcemap/bundle", "event/sourcemap/function", "ingest/unminify", "ingest/upload", "store/sourcemapdb", "base/progress", "ingest/event", "ingest/sentry", "sett/accounts", "sett/faults", "sett/move", "sett/regroup", "sett/scrub", "store/movedb", "sett", "sett/alerts", "sett/checks", "sett/status", "sett/owner"}, "a source reads, the store writes; what is between them is the parser of intake"},
	"store/archivedb":             {[]string{"sett", "store/block", "store/db", "store/faultdb", "store/statusdb", "store/uptimedb"}, "rows are read and written as what their columns say they refer to; what they mean is for others to say"},
	"app/archive":                 {[]string{"base/progress", "event/payload", "ingest/event", "sett", "sett/accounts", "sett/move", "store/archivedb", "store/db", "store/movedb"}, "an export is a file in and rows out; whose server it is, is handed in"},
	"app/movein/errand":           {[]string{"app/movein", "app/movein/frombugsink", "app/movein/fromfile", "app/movein/fromgatus", "app/movein/fromhealthchecks", "app/movein/fromhoneybadger", "app/movein/fromopenstatus", "app/movein/fromsentry", "base/dial", "base/progress", "monitor/probe", "notify/channel", "sett", "sett/accounts", "sett/checks", "sett/move", "sett/status", "store/accountdb", "store/movedb"}, "an import is settings in and a report out, for the command line and for pages; of probe and channel it needs their lists of kinds, of dial why an address is refused"},
	"app/movein/remote":           {[]string{"sett"}, "a request and an answer: what is asked is for others to say"},
	"app/movein/fromhoneybadger":  {[]string{"app/movein/remote", "sett", "sett/move"}, "a source reads another server and knows no database"},
	"app/movein/frombugsink":      {[]string{"app/movein/remote", "sett", "sett/move"}, "a source reads another server and knows no database"},
	"app/movein/fromkuma":         {[]string{"sett", "sett/move", "store/otherdb"}, "a source reads a file and knows no database of sett"},
	"store/otherdb":               {[]string{"base/moment", "sett", "store/db"}, "the file of another program is rows; what they mean is for who asked"},
	"app/movein/fromgatus":        {[]string{"app/movein/fromfile", "sett", "sett/move"}, "a configuration is text in and records out; it knows no database"},
	"app/movein/fromopenstatus":   {[]string{"app/movein/fromfile", "sett", "sett/move"}, "the same"},
	"app/movein/fromfile":         {[]string{"sett", "sett/move"}, "what files have in common, whatever they say"},
	"app/movein/fromhealthchecks": {[]string{"app/movein/remote", "sett", "sett/move"}, "a source reads another server and knows no database"},
	"sett/ascode":                 {[]string{"base/phrase", "sett/accounts", "sett/alarm", "sett/alerts", "sett/checks", "sett/dashboard", "sett/insight", "sett/maintenance", "sett/owner", "sett/regroup", "sett/scrub", "sett/status"}, "files are text in and steps out; their fields are those that the nouns let people change, and who reads files and asks servers is for others to say"},
	"app":                         {[]string{"*"}, "the one room that sees all others"},
	"setttest":                    {[]string{"*"}, "tests may look into every room"},
	"cmd/sett":                    {[]string{"api", "app", "app/client", "app/operate", "app/terminal", "base/about", "base/cell", "base/progress", "sett/move", "sett/ascode"}, "the command reads flags and leaves the rest to app; of the API and of what moved in it prints the types"},
	"api/brief":                   {[]string{"base/fence", "event/payload", "ingest/unminify", "sett", "sett/faults", "sett/release", "sett/repo", "sett/stats", "store/faultdb", "store/releasedb", "store/sheet"}, "what an error is for an agent is read from the store and written in one way, for pages and tools"},
	"api/behind":                  {[]string{"serve"}, "a request is written anew as one of a route; which route, and who may ask, is for others to say"},
	"api/mcp":                     {[]string{"api/behind", "api/brief", "base/fence", "sett", "sett/accounts", "sett/faults", "sett/signin", "serve", "serve/auth", "store/db"}, "its answers are those of the routes of /v2, which are handed in, and the brief of an error"},
	"api/apiv3":                   {[]string{"api/behind", "sett", "sett/accounts", "sett/shape", "sett/signin", "serve", "serve/auth", "store/db", "store/accountdb", "store/faultdb"}, "its answers are those of the routes of /v2, which are handed in; of the store it asks what no route says: accounts of a token, the place of a notice"},
	"api/scim":                    {[]string{"sett", "sett/accounts", "sett/directory", "sett/signin", "serve", "serve/auth", "store/accountdb"}, "a directory changes who is in its account, and nothing else"},
	"api/sentryapi":               {[]string{"ingest/unminify", "sett", "sett/release", "event/sourcemap", "ingest/event", "ingest/upload", "store/db", "store/accountdb", "store/faultdb", "store/searchdb", "store/releasedb", "store/sourcemapdb", "store/uptimedb", "serve/auth", "serve", "sett/accounts", "sett/faults"}, "an interface reads and changes the store; what a name of a revision is, intake knows"},
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
	{"github.com/wneessen/go-mail", []string{"notify/channel"}, "a channel is how to tell someone; everybody else queues a mail in the store"},
	{"github.com/emersion", []string{"setttest"}, "sett sends mails and is no mail server; setttest is one for tests"},
	{"github.com/caddyserver/certmagic", []string{"serve/acme"}, "only acme asks for certificates"},
	{"github.com/modelcontextprotocol/go-sdk", []string{"api/mcp"}, "agents speak to one package"},
	{"github.com/elimity-com/scim", []string{"api/scim"}, "directories speak to one package"},
	{"github.com/crewjam/saml", []string{"serve/idp"}, "identity providers speak to one package"},
	{"go.uber.org/zap", []string{"serve/acme"}, "everybody logs with slog; zap is what certmagic logs with"},
	{"github.com/yuin/goldmark", []string{"web", "base/markdown", "setttest"}, "the manual is written in Markdown, and tests read its examples; what people write is made safe in one place"},
	{"github.com/spf13/cobra", []string{"cmd/sett"}, "only the command reads command lines"},
}

// outbound are the names by which a program connects to others. Only dial, and through it probe, channel and auth, do.
var outbound = map[string][]string{
	"net":      {"Dial", "DialTimeout", "DialTCP", "DialUDP", "Dialer"},
	"net/http": {"Get", "Head", "Post", "PostForm", "DefaultClient", "DefaultTransport", "Client", "Transport"},
	"net/smtp": {"Dial", "SendMail"},
}

// outboundRooms may use those names. So may one file of the store, which connects to PostgreSQL at the address that the operator gave.
var outboundRooms = []string{"base/dial", "monitor/probe", "notify/channel", "serve/auth", "monitor/agent", "setttest"}

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

// roomOf returns the room that a package's directory belongs to: a line of the table has the directory, or one above it, since a room may be
// split by noun below itself.
func roomOf(dir string) string {
	rest, ok := strings.CutPrefix(dir, "internal/")
	for at := rest; ok && at != "."; at = path.Dir(at) {
		if _, own := rooms[at]; own {
			return at
		}
	}
	return rest
}

// floorOf returns how far down a room is; ok is false for one that is on no floor.
func floorOf(room string) (n int, ok bool) {
	folder, _, _ := strings.Cut(room, "/")
	n = slices.Index(floors, folder)
	return n, n >= 0
}

// contains reports whether a room is among some, of which "store/*" stands for all wings of the store.
func contains(rooms []string, room string) bool {
	parent, _, _ := strings.Cut(room, "/")
	return slices.Contains(rooms, room) || slices.Contains(rooms, parent+"/*")
}

// allows reports whether a room may import another.
func allows(may []string, other string) bool {
	return contains(may, other) || slices.Contains(may, "*")
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
			if !allows(rule.may, other) {
				t.Errorf("%s imports %s: %s → %s is not allowed, because %s", s.path, p, s.room, other, rule.why)
			}
			if other == "store/storetest" || other == "setttest" && s.room != "store/storetest" {
				t.Errorf("%s imports %s: %s is for tests alone", s.path, p, other)
			}
		}
	}
}

func TestFloorsImportDownward(t *testing.T) {
	t.Parallel()
	entries, err := os.ReadDir(filepath.Join(root, "internal"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if _, ok := floorOf(e.Name()); !ok && e.Name() != "setttest" {
			t.Errorf("internal/%s is no floor: what only one floor uses is inside it", e.Name())
		}
	}
	for _, s := range sources(t) {
		from, ok := floorOf(s.room)
		if !ok || s.test {
			continue
		}
		for _, p := range s.imports() {
			other, ours := strings.CutPrefix(p, "sett/internal/")
			if to, ok := floorOf(other); ours && ok && to < from {
				t.Errorf("%s imports %s, which is on a floor above it", s.path, p)
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
			t.Errorf("%s describes its package in %d lines; in 3 to 8 lines, say what it takes, what it returns and what it never does", s.path, lines)
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
