# What developers run; `make` alone lists it. Tools come at a fixed version by `go run` and are not in go.mod.

SHELL       := bash
.SHELLFLAGS := -euo pipefail -c

GOTESTSUM   := gotest.tools/gotestsum@v1.13.0
GOLANGCI    := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
GOVULNCHECK := golang.org/x/vuln/cmd/govulncheck@v1.8.0

VULN_DB     := https://vuln.go.dev/index/modules.json.gz

# Go's own, about HTTP/2; Go 1.26.9 fixes it (see README.md).
KNOWN_VULN  := GO-2026-6617

FUZZTIME    ?= 10s
CORES       := $(shell getconf _NPROCESSORS_ONLN)

# Of a test, go vet would read all dependencies again; golangci runs it.
TESTS       := go run $(GOTESTSUM) --format pkgname --format-hide-empty-pkg --hide-summary skipped -- -vet=off

# The line of a package whose tests have ended says how many have, of all that have tests.
COUNTED     = awk -v all="$$(go list -f '{{len .TestGoFiles}}{{len .XTestGoFiles}}' ./... | grep -cv '^00$$')" \
	'/^(✓|✖|∅) / { ended++; sub(/ +/, "  " ended " of " all "  ") } { print; fflush() }'

# With the same flags everywhere, all targets share what they compile. Without debug information, a tenth less is compiled; for a debugger, run
# go build yourself.
export CGO_ENABLED := 0
export GOFLAGS     := -trimpath -gcflags=all=-dwarf=false

# Of these, tests of deploy run little: compiled without inlining, they take a third less. golangci reads what is compiled, so it takes the same flags.
LITTLE_RUN := helm.sh k8s.io sigs.k8s.io github.com/compose-spec github.com/google/gnostic-models github.com/moby
OF_DEPLOY  := $(GOFLAGS) $(if $(CI),$(foreach path,$(LITTLE_RUN),'-gcflags=$(path)/...=-dwarf=false -l'))

.PHONY: help build quick test golden grouping pictures rooms watch-clients cover lint tidy golangci vuln fuzz bench bench-nodes bench-postgres bench-peers bench-alarms try-bench e2e deploy release licenses postgres

help: ## list what can be made
	@sed -nE 's/^([a-z0-9-]+):.*## (.*)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 24

build: ## build bin/sett; CI builds it as a release is, without symbols
	@GOGC=400 go build $(if $(CI),-ldflags='-s -w') -o bin/sett ./cmd/sett

# IN_MEMORY keeps the temporary files of a command in memory where there is room. Go reuses the result of a package that has
# not changed, but not when TMPDIR has: the directory is the same for each run of a target in a checkout. GOGC=400, here and
# wherever much is compiled, collects garbage less often, which saves an eighth of the CPU time.
IN_MEMORY = room="$$({ df -Pk /dev/shm 2>/dev/null || true; } | awk 'NR == 2 { print $$4 }')"; \
	dir="$$( ((room > 4000000)) && echo /dev/shm || echo /tmp)/sett-$@-$$(id -u)-$$(cksum <<<"$$PWD" | cut -d ' ' -f 1)"; \
	trap 'rm -rf "$$dir"' EXIT; mkdir -p "$$dir"; TMPDIR="$$dir" GOGC=400

# Some packages mostly wait, so more of them are tested at a time than there are cores.
WAITING := -p "$$((2 * $(CORES)))"

# Tests that import none of these are compiled in seconds: SQLite, the store and the pages on it take minutes, and each of the others takes as long as ten of
# our packages. gotestsum is not compiled for so few.
SLOW_TO_COMPILE := modernc.org/sqlite|jackc/pgx|minio/minio-go|getkin/kin-openapi|wneessen/go-mail|alecthomas/chroma
QUICK_PACKAGES   = go list -test -f '{{.ImportPath}} {{.Deps}}' ./... | awk '$$1 ~ /\.test$$/ && !/$(subst /,\/,$(SLOW_TO_COMPILE))/ { sub(/\.test$$/, "", $$1); print $$1 }'
UNCOMMITTED      = git status --porcelain -uall -- cmd internal | sed -nE 's,^.. (.* -> )?((cmd|internal)/.*)/[^/]*\.go$$,./\2,p' | sort -u | while read -r dir; do if [[ -d $$dir ]]; then echo "$$dir"; fi; done

quick: ## run the fast tests of packages that are compiled in seconds, and of those with changes that are not committed
	@$(IN_MEMORY) go test -vet=off -short $(WAITING) $$($(QUICK_PACKAGES)) $$($(UNCOMMITTED))

test: postgres ## run all tests, on SQLite and PostgreSQL
	@echo 'compiling, which takes minutes the first time; then each package is listed when its tests have ended'
	@$(IN_MEMORY) go run ./internal/setttest/withpostgres $(TESTS) $(WAITING) ./... | $(COUNTED)

golden: postgres ## rewrite every golden file with what the code does now; read the diff before you commit it
	@go run ./internal/setttest/withpostgres go test $$(grep -rl --include='*_test.go' 'flag.Bool("update"' internal | xargs -n 1 dirname | sort -u | sed 's|^|./|') -update

# FLAGS='-wrong="line shift"' lists the pairs of a class or an ecosystem that come out wrong.
grouping: ## say how well errors are grouped, on the corpus in internal/ingest/group/testdata
	@go test -vet=off ./internal/ingest/group -run '^TestCorpusIs' -count=1 -v -args $(FLAGS) | grep -vE '^(=== |--- PASS|PASS$$|ok )'

pictures: ## take the pictures of the README and the manual anew, with a headless Chromium
	@cd e2e && go test ./flow -run '^TestPictures$$' -count=1 -pictures

watch-clients: ## look up the newest released clients, and say which address that they call sett lacks
	@cd e2e && go test ./clients -run '^TestReleasedClients$$' -count=1 -v -watch | grep -vE '^(=== |--- PASS|PASS$$|ok )'

rooms: ## list the rooms that grew by a quarter since the last release
	@go test ./internal/app -run '^TestRoomsThatGrew$$' -count=1 -v | grep 'has grown' || echo 'none has grown by a quarter'

cover: postgres ## run all tests and say how much of the code they reach
	@go run ./internal/setttest/withpostgres $(TESTS) -coverpkg=./... -coverprofile=cover.out ./...
	@go tool cover -func=cover.out | tail -n 1

lint: tidy golangci vuln ## run every check of the code

tidy: ## fail when go.mod or go.sum is not what go mod tidy writes
	@for module in . e2e bench deploy; do (cd $$module && go mod tidy -diff); done

golangci: ## the linters, go vet among them, and formatters of .golangci.yml
	@for module in . e2e bench deploy; do (cd $$module && \
		if [[ $$module == deploy ]]; then export GOFLAGS="$(OF_DEPLOY)"; fi && go run $(GOLANGCI) run --allow-parallel-runners ./...); done

vuln: ## fail when a known vulnerability can be reached from our code
	@if command -v curl >/dev/null && ! failure="$$(curl -sS -m 20 -o /dev/null $(VULN_DB) 2>&1)"; then \
		echo "vulnerabilities not checked: $$failure"; exit; fi; \
	out="$$(go run $(GOVULNCHECK) ./... 2>&1)" && exit; \
	if grep -qE 'fetching vulnerabilities|dial tcp|https://proxy' <<<"$$out"; then \
		echo "vulnerabilities not checked: $$(grep -m 1 -E 'https?://' <<<"$$out")"; exit; fi; \
	found="$$(sed -nE 's/^Vulnerability #[0-9]+: //p' <<<"$$out")"; \
	test -n "$$found" && ! grep -qvxF "$(KNOWN_VULN)" <<<"$$found" || { echo "$$out"; exit 1; }

# Where the tests of a package compile SQLite, fuzzing does without coverage, for which SQLite would be compiled once more.
WITHOUT_COVERAGE := internal/ingest/unminify

# Go sometimes ends the fuzzing of a busy machine with "context deadline exceeded" and no failing input; that is tried once more.
fuzz: ## fuzz every target for FUZZTIME (10s)
	@grep -rHoE --include='*_test.go' '^func Fuzz\w+' internal cmd | while IFS=: read -r file func; do \
		target="$${func#func }"; \
		package="$$(dirname "$$file")"; args=(-fuzz="^$$target\$$" -fuzztime=$(FUZZTIME) -fuzzminimizetime=100x); \
		if [[ " $(WITHOUT_COVERAGE) " == *" $$package "* ]]; then args=(-args "$${args[@]/#-/-test.}" -test.fuzzcachedir="$$(go env GOCACHE)/fuzz/sett/$$package"); fi; \
		try() { out="$$(GOGC=400 go test "./$$package" -vet=off -run='^$$' "$${args[@]}" 2>&1)"; }; \
		if try || { grep -q 'context deadline exceeded' <<<"$$out" && ! grep -q 'Failing input' <<<"$$out" && try; }; \
		then echo "ok    $$target: $$(echo "$$out" | grep -oE "execs: [0-9]+" | tail -n 1)"; else echo "$$out"; echo "FAIL  $$target"; exit 1; fi; \
	done

bench: build bin/sett-bench ## measure intake, pings and status pages against a bare HTTP handler, the way of alerts, and pages
	@bin/sett-bench intake
	@bin/sett-bench pings
	@bin/sett-bench notify
	@bin/sett-bench status
	@bin/sett-bench pages

bench-postgres: build bin/sett-bench ## the same on a private, durable PostgreSQL
	@for what in intake pings notify; do \
		go run ./internal/setttest/withpostgres -durable sh -c 'bin/sett-bench '$$what' --database "$$SETT_TEST_POSTGRES"'; done

bench-nodes: build bin/sett-bench ## one to four servers of one private, durable PostgreSQL
	@bench/nodes.sh bin/sett bin/sett-bench

.PHONY: bin/sett-bench
bin/sett-bench:
	@cd bench && GOGC=400 go build -o ../bin/sett-bench ./run

bench-peers: ## sett and another error tracker, which comes from PyPI, with the same errors (20 minutes)
	@cd e2e && go run ./peers

bench-alarms: postgres ## a thousand alarms a minute, on SQLite and on a private, durable PostgreSQL
	@go run ./internal/setttest/withpostgres -durable go test ./internal/monitor/watch -run '^$$' -bench '^BenchmarkAlarms$$' -benchtime 10x

try-bench: ## run each measurement for a moment
	@cd bench && $(TESTS) -count=1 -timeout 40m ./...

# One measurement, such as bench-search or bench-purge, with FLAGS; FLAGS=--help lists them.
bench-%: build bin/sett-bench
	@bin/sett-bench $* $(FLAGS)

# A story waits more than it computes: on two cores, two at a time leave nearly one core idle. So two folders of stories run at a time, each with
# as many stories as there are cores. The servers in it collect garbage as usual. Programs in Java run for seconds, in which compiling them well and
# collecting garbage on all cores takes more than it saves.
e2e: ## run the stories with real clients and a browser
	@cd e2e && JAVA_TOOL_OPTIONS='-XX:TieredStopAtLevel=1 -XX:+UseSerialGC' GOGC=400 $(TESTS) -exec 'env -u GOGC' -count=1 -timeout 40m -p 2 -parallel "$(CORES)" ./... | $(COUNTED)

deploy: ## make a release and try its image, packages, service, chart and compose files
	@cd deploy && GOFLAGS="$(OF_DEPLOY)" $(TESTS) -count=1 -timeout 40m -parallel "$$((2 * $(CORES)))" ./... | $(COUNTED)

# Without VERSION, the version is that in internal/base/about/VERSION.
release: ## write the files of a release to dist/; VERSION=0.11.0 names it, RELEASE_KEY=file of an SSH key signs it
	@cd deploy && go run ./release $(if $(VERSION),-version '$(VERSION)')

licenses: ## write the licenses of what the program contains anew, after a change of go.mod
	@cd deploy && go run ./release -licenses

# Tests need a PostgreSQL server's binaries. As root on Debian they are installed; elsewhere the tests say what to do.
postgres:
	@command -v initdb >/dev/null || compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null || \
	[[ "$$(id -u)" != 0 ]] || ! command -v apt-get >/dev/null || \
	{ echo 'installing postgresql for the tests; this takes about a minute'; \
	{ apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install --no-install-recommends -y postgresql; } >/dev/null; }
