package insight

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"
)

// The value that each expression has for the first event of the manual's examples.
func TestExpressions(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`1 + 2 * 3 - 4 / 8`:                            `6.5`,
		`(1 + 2) * -3`:                                 `-9`,
		`-duration % 3`:                                `-1`,
		`1 / 0`:                                        `null`,
		`"a" + 1`:                                      `null`,
		`duration / 4`:                                 `2.5`,
		`status - amount`:                              `200`,
		`abs(-2)`:                                      `2`,
		`pow(2, 10)`:                                   `1024`,
		`log2(8)`:                                      `3`,
		`log(-1)`:                                      `null`,
		`log10(1000)`:                                  `3`,
		`round(exp(1), 3)`:                             `2.718`,
		`round(2.5)`:                                   `3`,
		`round(1234, -2)`:                              `1200`,
		`floor(-1.25, 1)`:                              `-1.3`,
		`ceil(1.21, 1)`:                                `1.3`,
		`bucket(37, 10)`:                               `30`,
		`bucket(37, 0, 100, 4)`:                        `25`,
		`bucket(100, 0, 100, 4)`:                       `null`,
		`trim("  a ")`:                                 `"a"`,
		`concat(path, ":", status, nothing)`:           `"/orders/1:200"`,
		`uppercase("ähm")`:                             `"ÄHM"`,
		`lowercase(uppercase(path))`:                   `"/orders/1"`,
		`substring("hällo", 2, 3)`:                     `"äll"`,
		`substring("abc", 9)`:                          `""`,
		`length("hällo")`:                              `5`,
		`length(tags)`:                                 `2`,
		`replace("a.b.c", ".", "-")`:                   `"a-b-c"`,
		`replace("a1b22", /([0-9])/, "{$1}")`:          `"a{1}b{2}{2}"`,
		`replace("ab", /x*/, "-")`:                     `"-a-b-"`,
		`replaceFirst("a.b.c", ".", "-")`:              `"a-b.c"`,
		`replaceFirst("a1b2", /[0-9]/, "")`:            `"ab2"`,
		`toHumanString(1234567, short)`:                `"1.2M"`,
		`toHumanString(1536, bytes)`:                   `"1.5 KiB"`,
		`toHumanString(90000, milliseconds)`:           `"1.5m"`,
		`toHumanString(250, microseconds)`:             `"250µs"`,
		`toHumanString(2.345)`:                         `"2.35"`,
		`toHour()`:                                     `12`,
		`toDay(@ts)`:                                   `18`,
		`toDayOfWeek(@ts)`:                             `3`,
		`toYear("2031-02-03")`:                         `2031`,
		`bin(5m, "2026-11-18 10:33:00")`:               `"2026-11-18 10:30:00"`,
		`bin(1M)`:                                      `"2026-11-01 00:00:00"`,
		`bin(1w)`:                                      `"2026-11-16 00:00:00"`,
		`toStartOf(1w)`:                                `"2026-11-16 00:00:00"`,
		`toStartOf(6h)`:                                `"2026-11-18 12:00:00"`,
		`toEndOf(1d)`:                                  `"2026-11-18 23:59:59.999"`,
		`toEndOf(1M)`:                                  `"2026-11-30 23:59:59.999"`,
		`now()`:                                        `"2026-11-18 13:00:00"`,
		`@query.start_at`:                              `"2026-11-18 11:00:00"`,
		`@query.end_at - @query.start_at`:              `7200`,
		`toTimezone(@ts, "Asia/Tokyo")`:                `"2026-11-18 21:00:00"`,
		`formatDate("%d.%m.%y %H:%i:%S %%")`:           `"18.11.26 12:00:00 %"`,
		`toInt("12.9")`:                                `12`,
		`toInt("x")`:                                   `null`,
		`toFloat("1.5")`:                               `1.5`,
		`toString(status)`:                             `"200"`,
		`toString(@ts)`:                                `"2026-11-18 12:00:00"`,
		`toDate(@ts)`:                                  `"2026-11-18 00:00:00"`,
		`toDateTime(1763460000)`:                       `"2025-11-18 10:00:00"`,
		`toUnix("1970-01-01 00:00:01")`:                `1000`,
		`urlPath(url)`:                                 `"/orders"`,
		`urlDomain(url)`:                               `"shop.example.org"`,
		`urlParameter(url, "page")`:                    `"0"`,
		`urlParameter(url, "x")`:                       `null`,
		`json(body, "$.user.id")`:                      `7`,
		`json(body, "$.user")`:                         `null`,
		`json("[1,[2,true]]", "$[1][1]")`:              `true`,
		`json("{", "$.a")`:                             `null`,
		`tags[1]`:                                      `"night"`,
		`tags[2]`:                                      `null`,
		`any(tags[*] == "night")`:                      `true`,
		`any(nothing[*] == "night")`:                   `false`,
		`all(tags[*] like "%o%")`:                      `false`,
		`all(nothing[*] == 1)`:                         `true`,
		`if(status == 200, "ok", "bad")`:               `"ok"`,
		`cond(status > 900, 1, status < 100, 2, 3)`:    `3`,
		`cond(status > 900, 1, status > 100, 2)`:       `2`,
		`either(nothing, null, path)`:                  `"/orders/1"`,
		`coalesce(nothing, 1)`:                         `1`,
		`status == 200 and not (path like "/api%")`:    `true`,
		`status in [amount, duration * 20]`:            `true`,
		`duration between amount and status`:           `true`,
		`duration not between 10 and 20`:               `false`,
		`nothing != 1`:                                 `false`,
		`not (nothing == 1)`:                           `true`,
		`isNull(nothing) or isNull(status)`:            `true`,
		`isNotNull(concat(path))`:                      `true`,
		`concat(path, "x") match /1x$/`:                `true`,
		`lowercase(path) ilike "/ORDERS/_"`:            `true`,
		`startsWith(concat("a", path), "a/")`:          `true`,
		`@ts >= "2026-11-18 12:00:00" and @ts < now()`: `true`,
		`@ts between "2026-11-18" and "2026-11-18 12:00:00"`: `true`,
		`@stream.name`:                      `"Default"`,
		`@stream.id`:                        fmt.Sprintf("%q", Sent.ID(0)),
		`@size > 100 and length(@id) == 16`: `true`,
		`@received_ts == @ts`:               `true`,
		`@fill`:                             `false`,
	} {
		rows := answerOf(t, "fields "+text+" as v | sort @ts asc | limit 1", exampleEvents())
		if want := `[{"v":` + want + `}]`; rows != want {
			t.Errorf("%s:\n got %s\nwant %s", text, rows, want)
		}
	}
}

// What a query does with rows that were grouped, limited or multiplied.
func TestPipelines(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		`status == 404 | stats count() as n`:                                                     `[{"n":1}]`,
		`@size > 0 | limit 1 | fields status`:                                                    `[{"status":200}]`,
		`not (status == 200) | stats count() as n`:                                               `[{"n":2}]`,
		`fields path | sort duration`:                                                            `[{"path":"/orders/3"},{"path":"/api/login"},{"path":"/orders/2"},{"path":"/orders/1"}]`,
		`fields duration / 10 as d | filter d > 2 | sort d asc | only d, status`:                 `[{"d":3.05,"status":500},{"d":100,"status":200}]`,
		`fields status | sort duration | limit 3 | filter status == 200 | sort duration asc`:     `[{"status":200}]`,
		`sort duration asc | limit 3 | stats sum(duration) as s`:                                 `[{"s":60.5}]`,
		`fields status, path | sort path asc | limit 1 by status`:                                `[{"status":500,"path":"/api/login"},{"status":200,"path":"/orders/1"},{"status":404,"path":"/orders/2"}]`,
		`unique status | stats count() as n`:                                                     `[{"n":3}]`,
		`unique event_type, status | fields status | sort status asc`:                            `[{"status":200},{"status":404},{"status":500}]`,
		`limit 2 by status | limit 1 | fields path`:                                              `[{"path":"/orders/3"}]`,
		`expand tags[*] as tag | stats count() as n by tag | sort tag asc`:                       `[{"tag":"night","n":4},{"tag":"slow","n":4}]`,
		`expand tags | filter tags == "slow" | fields tags, status | sort @ts asc | limit 1`:     `[{"tags":"slow","status":200}]`,
		`parse path /^\/(?<kind>[a-z]+)\/(?<rest>.*)/ | stats count() as n by kind | sort n`:     `[{"kind":"orders","n":3},{"kind":"api","n":1}]`,
		`stats count() as n by status | filter n > 1 | fields n * 10 as ten`:                     `[{"status":200,"n":2,"ten":20}]`,
		`stats count() as n by status | fields n + 1 as m | only m, status | sort m, status asc`: `[{"m":3,"status":200},{"m":2,"status":404},{"m":2,"status":500}]`,
		`stats count() as n by status | limit 1 | stats sum(n) as total`:                         `[{"total":2}]`,
		`stats count() as n by status | stats max(n) as most, count() as rows`:                   `[{"most":2,"rows":3}]`,
		`stats count() by status | sort count() asc, status asc | limit 1`:                       `[{"status":404,"count()":1}]`,
		`stats count() by status | filter count == 2`:                                            `[{"status":200,"count()":2}]`,
		`stats sum(duration) / count() as mean, round(avg(duration), 1)`:                         `[{"mean":265.125,"round(avg(duration), 1)":265.1}]`,
		`stats count(status >= 400) as bad, countIf(status < 400) as good, count(user.plan)`:     `[{"bad":2,"good":2,"count(user.plan)":2}]`,
		`stats sumIf(amount, status == 200) as s, avgIf(duration, status == 200) as a`:           `[{"s":7.5,"a":505}]`,
		`stats minIf(duration, status != 200) as a, maxIf(duration, status != 200) as b`:         `[{"a":20,"b":30.5}]`,
		`stats uniqueIf(user.id, status == 404) as u, apdexIf(duration, 20, status != 404) as x`: `[{"u":1,"x":0.5}]`,
		`stats first(path) as f, last(path) as l`:                                                `[{"f":"/orders/1","l":"/orders/3"}]`,
		`sort duration | stats first(path) as f, last(path) as l`:                                `[{"f":"/orders/3","l":"/orders/1"}]`,
		`stats pickMax(path, status) as worst`:                                                   `[{"worst":"/api/login"}]`,
		`stats max(@ts) as last, min(@ts) as first`:                                              `[{"last":"2026-11-18 12:03:00","first":"2026-11-18 12:00:00"}]`,
		`stats apdex(duration, 15) as x`:                                                         `[{"x":0.5}]`,
		`stats top(2, status) as t`:                                                              `[{"t":[200,404]}]`,
		`stats top(1, path, duration) as t`:                                                      `[{"t":["/orders/3"]}]`,
		`stats count() as n by top(1, status) as s`:                                              `[{"s":200,"n":2}]`,
		`filter status in top(1, status) | stats count() as n`:                                   `[{"n":2}]`,
		`filter status not in top(1, status) | stats count() as n`:                               `[{"n":2}]`,
		`stats rate(count(), 1m) as r`:                                                           fmt.Sprintf(`[{"r":%v}]`, jsonNumber(4.0/120)),
		`stats rate(count()) as r by bin(2m) as t`:                                               fmt.Sprintf(`[{"t":"2026-11-18 12:00:00","r":%v},{"t":"2026-11-18 12:02:00","r":%v}]`, jsonNumber(2.0/120), jsonNumber(2.0/120)),
		`stats count() as n by status >= 400 as bad | sort bad`:                                  `[{"bad":true,"n":2},{"bad":false,"n":2}]`,
		`stats count() as n by toHour(@ts) as h`:                                                 `[{"h":12,"n":4}]`,
		`stats count() as n by bucket(duration, 500) as b | fill b from 0 to 1500 | only b, n`:   `[{"b":0,"n":3},{"b":500,"n":0},{"b":1000,"n":1},{"b":1500,"n":0}]`,
		`stats avg(status) as a by bin(1m) as t | filter a != 404 | fill t from "2026-11-18 12:00:00" to "2026-11-18 12:02:00" down | only a, @fill`:          `[{"a":200,"@fill":false},{"a":200,"@fill":true},{"a":500,"@fill":false},{"a":200,"@fill":false}]`,
		`filter status != 500 | stats count() as n by bucket(duration, 250) as b, status == 404 as missing | fill b across missing bounded | only missing, b`: `[{"missing":false,"b":0},{"missing":false,"b":250},{"missing":false,"b":500},{"missing":false,"b":750},{"missing":false,"b":1000},{"missing":true,"b":0}]`,
		`stats count() as n by bucket(duration, 1000) as b | fill b as x desc to 2000 with n = -1 | only x, n`:                                                `[{"x":2000,"n":-1},{"x":1000,"n":1},{"x":0,"n":3}]`,
	} {
		if got := answerOf(t, query, exampleEvents()); got != want {
			t.Errorf("%s:\n got %s\nwant %s", query, got, want)
		}
	}
}

func jsonNumber(n float64) string { return formatNumber(n) }

// requestEvents are requests of two controllers over two hours.
func requestEvents() (events []Event) {
	for i := range 20 {
		status := []float64{200, 200, 404, 500}[i%4]
		fields := []Field{
			TextField("event_type", map[bool]string{true: "request", false: "notice"}[i < 16]), NumberField("status", status), NumberField("duration", float64(i+1)*50_000),
			TextField("controller", []string{"carts", "orders"}[i%2]), TextField("action", "show"), NumberField("fault_id", float64(i%3)), TextField("user", fmt.Sprintf("u%d", i%5)),
			TextField("x", string(rune('a'+i%7))),
		}
		events = append(events, Event{At: noon.Add(time.Duration(i)*6*time.Minute - time.Hour).UnixMicro(), Fields: fields})
	}
	return events
}

// The queries that tools and dashboards ask most.
func TestMostWantedQueries(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		`fields @ts, @preview | sort @ts | limit 1 | only @ts`:                   `[{"@ts":"2026-11-18 12:54:00.000"}]`,
		`stats count() as count by event_type::str | sort count desc`:            `[{"event_type":"request","count":16},{"event_type":"notice","count":4}]`,
		`fields event_type | limit 1 by event_type::str`:                         `[{"event_type":"notice"},{"event_type":"request"}]`,
		`filter event_type::str == "notice" | stats count() as count by bin(1h)`: `[{"bin(1h)":"2026-11-18 12:00:00","count":4}]`,
		`stats percentile(50, duration::float) as p50, percentile(95, duration::float) as p95, percentile(99, duration::float) as p99 by controller::str, action::str | only controller, action`: `[{"controller":"carts","action":"show"},{"controller":"orders","action":"show"}]`,
		"stats unique(user::str) as `Affected Users` by fault_id::int":                          `[{"fault_id":0,"Affected Users":5},{"fault_id":1,"Affected Users":5},{"fault_id":2,"Affected Users":5}]`,
		`stats round(apdex(duration::int, 200000), 3) as apdex`:                                 `[{"apdex":0.5}]`,
		`filter x in top(2, x) | stats count() as n by bin(1h), x`:                              `[{"bin(1h)":"2026-11-18 11:00:00","x":"a","n":2},{"bin(1h)":"2026-11-18 11:00:00","x":"b","n":2},{"bin(1h)":"2026-11-18 12:00:00","x":"a","n":1},{"bin(1h)":"2026-11-18 12:00:00","x":"b","n":1}]`,
		`filter event_type == "notice" | stats count() as count by bin(1h) as date | fill date`: `[{"date":"2026-11-18 11:00:00","count":0},{"date":"2026-11-18 12:00:00","count":4}]`,
		`fields cond(status::int between 200 and 299, "2xx", status::int between 400 and 499, "4xx", "5xx") as group | stats count() by group, bin(1h) as time | sort time asc, group asc`: `[{"group":"2xx","time":"2026-11-18 11:00:00","count()":6},{"group":"4xx","time":"2026-11-18 11:00:00","count()":2},{"group":"5xx","time":"2026-11-18 11:00:00","count()":2},` +
			`{"group":"2xx","time":"2026-11-18 12:00:00","count()":4},{"group":"4xx","time":"2026-11-18 12:00:00","count()":3},{"group":"5xx","time":"2026-11-18 12:00:00","count()":3}]`,
	} {
		if got := answerOf(t, query, requestEvents()); got != want {
			t.Errorf("%s:\n got %s\nwant %s", query, got, want)
		}
	}
	var rows []map[string]any
	if err := json.Unmarshal([]byte(answerOf(t, `fields @preview | limit 1 by event_type::str`, requestEvents())), &rows); err != nil || len(rows) != 2 || rows[0]["@preview"] == nil {
		t.Errorf("one event of each type: %v, %v", rows, err)
	}
}

// What alarms compare: the rows that a query has without its last limit.
func TestRowsFound(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]int64{
		`filter status == 200 | limit 1`:                             10,
		`filter status == 999`:                                       0,
		`stats count() as n by x | limit 1`:                          7,
		`stats count() as n by x | filter n > 2 | limit 1`:           6,
		`stats count()`:                                              1,
		`stats count() as n | filter n > 100`:                        0,
		`limit 1 by x`:                                               7,
		`unique x | limit 2`:                                         7,
		`sort duration | limit 5 | filter status == 200`:             2,
		`stats count() as n by bin(1h) as t | fill t | filter @fill`: 0,
	} {
		s, err := ParseStatement(query)
		if err != nil {
			t.Fatal(err)
		}
		frame := func() *Frame { return FrameOf(requestEvents()) }
		if a := s.Answer(resultOf(t, s.Plan(noon.Add(-time.Hour), noon.Add(time.Hour), time.UTC), frame), time.UTC); a.Found != want || a.Partial {
			t.Errorf("%s: %d rows, want %d; partial %t", query, a.Found, want, a.Partial)
		}
	}
}
