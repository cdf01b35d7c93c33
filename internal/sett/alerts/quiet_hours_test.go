package alerts

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
)

func nights(change ...func(*QuietHours)) *QuietHours {
	q := &QuietHours{From: "22:00", To: "07:00", TimeZone: "Europe/Berlin"}
	for _, c := range change {
		c(q)
	}
	return q
}

// quietOf makes quiet hours of "from to zone days".
func quietOf(text string) *QuietHours {
	parts := strings.Fields(text)
	q := &QuietHours{From: parts[0], To: parts[1], TimeZone: parts[2]}
	if len(parts) > 3 {
		q.Days = strings.Split(parts[3], ",")
	}
	return q
}

func TestQuietHoursEnd(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ hours, at, ends string }{ // "": it is not quiet
		{"22:00 07:00 UTC", "2026-11-22T21:59:59.999Z", ""},
		{"22:00 07:00 UTC", "2026-11-22T22:00:00Z", "2026-11-23T07:00:00Z"},
		{"22:00 07:00 UTC", "2026-11-22T22:00:00.5Z", "2026-11-23T07:00:00Z"},
		{"22:00 07:00 UTC", "2026-12-31T23:59:59Z", "2027-01-01T07:00:00Z"},
		{"22:00 07:00 UTC", "2026-11-23T06:59:59.999Z", "2026-11-23T07:00:00Z"},
		{"22:00 07:00 UTC", "2026-11-23T07:00:00Z", ""},
		{"22:00 00:00 UTC", "2026-11-22T23:30:00Z", "2026-11-23T00:00:00Z"},
		{"22:00 24:00 UTC", "2026-11-22T23:30:00Z", "2026-11-23T00:00:00Z"},
		{"22:00 00:00 UTC", "2026-11-23T00:00:00Z", ""},
		{"12:00 13:30 UTC", "2026-11-22T13:29:00Z", "2026-11-22T13:30:00Z"},
		{"22:00 07:00 America/New_York", "2026-11-23T03:00:00Z", "2026-11-23T12:00:00Z"},
		{"22:00 07:00 Asia/Kolkata", "2026-11-22T16:30:00Z", "2026-11-23T01:30:00Z"},
		{"22:00 07:00 Asia/Kolkata", "2026-11-22T16:29:00Z", ""},

		// Days are those on which they begin; 22 November 2026 is a Sunday.
		{"22:00 07:00 UTC sun", "2026-11-23T06:00:00Z", "2026-11-23T07:00:00Z"},
		{"22:00 07:00 UTC sun", "2026-11-22T06:00:00Z", ""},
		{"22:00 07:00 UTC mon,tue", "2026-11-22T23:00:00Z", ""},
		{"00:00 24:00 UTC sat,sun", "2026-11-21T10:00:00Z", "2026-11-23T00:00:00Z"},
		{"00:00 24:00 UTC mon,tue,wed,thu,fri,sat", "2026-11-23T00:00:00Z", "2026-11-29T00:00:00Z"},
		{"00:00 24:00 UTC sat,sun", "2026-11-23T00:00:00Z", ""},

		// On 29 March clocks in Berlin go from 2 to 3 at 01:00 UTC, on 25 October from 3 to 2.
		{"22:00 07:00 Europe/Berlin", "2026-03-28T22:00:00Z", "2026-03-29T05:00:00Z"},
		{"22:00 07:00 Europe/Berlin", "2026-10-24T21:00:00Z", "2026-10-25T06:00:00Z"},
		{"01:00 02:30 Europe/Berlin", "2026-03-29T00:30:00Z", "2026-03-29T01:00:00Z"}, // there is no half past two
		{"02:15 04:00 Europe/Berlin", "2026-03-29T01:00:00Z", "2026-03-29T02:00:00Z"},
		{"02:15 02:45 Europe/Berlin", "2026-03-29T01:00:00Z", ""},
		{"01:00 02:30 Europe/Berlin", "2026-10-24T23:30:00Z", "2026-10-25T00:30:00Z"},
		{"01:00 02:30 Europe/Berlin", "2026-10-25T00:45:00Z", ""},
		{"01:00 02:30 Europe/Berlin", "2026-10-25T01:10:00Z", "2026-10-25T01:30:00Z"}, // it is ten past two again
		{"01:00 03:00 Europe/Berlin", "2026-10-24T23:30:00Z", "2026-10-25T02:00:00Z"}, // longer by that hour
	} {
		at, _ := time.Parse(time.RFC3339, c.at)
		got := ""
		if end := quietOf(c.hours).Ends(at); !end.IsZero() {
			got = end.Format(time.RFC3339)
		}
		if got != c.ends {
			t.Errorf("%s at %s: %q, want %q", c.hours, c.at, got, c.ends)
		}
	}
}

func TestNextQuietHours(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ hours, at, from, to string }{
		{"22:00 07:00 UTC", "2026-11-22T12:00:00Z", "2026-11-22T22:00:00Z", "2026-11-23T07:00:00Z"},
		{"22:00 07:00 UTC", "2026-11-22T23:00:00Z", "2026-11-22T23:00:00Z", "2026-11-23T07:00:00Z"},
		{"22:00 07:00 UTC", "2026-11-22T07:00:00Z", "2026-11-22T22:00:00Z", "2026-11-23T07:00:00Z"},
		{"22:00 07:00 UTC wed", "2026-11-19T07:00:00Z", "2026-11-25T22:00:00Z", "2026-11-26T07:00:00Z"},
		{"00:00 24:00 UTC sat,sun", "2026-11-23T00:00:00Z", "2026-11-28T00:00:00Z", "2026-11-30T00:00:00Z"},
		{"02:15 02:45 Europe/Berlin", "2026-03-28T12:00:00Z", "2026-03-30T00:15:00Z", "2026-03-30T00:45:00Z"},
		{"02:15 04:00 Europe/Berlin", "2026-03-28T12:00:00Z", "2026-03-29T01:00:00Z", "2026-03-29T02:00:00Z"},
	} {
		at, _ := time.Parse(time.RFC3339, c.at)
		from, to := quietOf(c.hours).Next(at)
		if got := [2]string{from.Format(time.RFC3339), to.Format(time.RFC3339)}; got != [2]string{c.from, c.to} {
			t.Errorf("%s at %s: %v, want %s to %s", c.hours, c.at, got, c.from, c.to)
		}
	}
}

// What no rule lets in, and might be in a database all the same, is never quiet.
func TestQuietHoursThatAreNone(t *testing.T) {
	t.Parallel()
	var none *QuietHours
	for _, q := range []*QuietHours{none, {}, quietOf("22:00 22:00 UTC"), quietOf("24:00 07:00 UTC"), quietOf("25:00 07:00 UTC"), quietOf("22:00 7:00 UTC"), quietOf("22:00 07:00 Nowhere"), quietOf("00:00 24:00 UTC"), quietOf("00:00 24:00 UTC mon,tue,wed,thu,fri,sat,sun")} {
		for hour := range 24 {
			at := integrationDay.Add(time.Duration(hour) * time.Hour)
			if end := q.Ends(at); !end.IsZero() {
				t.Errorf("%+v is quiet until %v", q, end)
			}
			if from, to := q.Next(at); !from.IsZero() || !to.IsZero() {
				t.Errorf("%+v comes at %v", q, from)
			}
		}
	}
}

// A model that looks at every minute: the clocks' text is compared with the hours, as people would.
func TestQuietHoursAreThoseOfTheClocks(t *testing.T) {
	t.Parallel()
	zones := []string{"UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "Africa/Cairo", "America/St_Johns", "Pacific/Apia", "Africa/Casablanca"}
	starts := []time.Time{
		time.Date(2026, 3, 27, 0, 0, 0, 0, time.UTC), time.Date(2026, 10, 23, 0, 0, 0, 0, time.UTC), time.Date(2026, 4, 3, 0, 0, 0, 0, time.UTC),
		time.Date(2026, 3, 6, 0, 0, 0, 0, time.UTC), time.Date(2026, 10, 30, 0, 0, 0, 0, time.UTC), time.Date(2026, 4, 23, 0, 0, 0, 0, time.UTC),
		time.Date(2011, 12, 28, 0, 0, 0, 0, time.UTC), time.Date(2026, 2, 13, 0, 0, 0, 0, time.UTC), time.Date(2026, 12, 30, 0, 0, 0, 0, time.UTC),
	}
	random := rand.New(rand.NewPCG(9, 30))
	for range 120 {
		zone := zones[random.IntN(len(zones))]
		q := &QuietHours{From: someTime(random, 24), To: someTime(random, 25), TimeZone: zone}
		for _, day := range QuietDays() {
			if random.IntN(3) > 0 {
				q.Days = append(q.Days, day)
			}
		}
		if _, ok := q.clock(); !ok {
			continue
		}
		checkQuietHours(t, q, starts[random.IntN(len(starts))])
	}
}

// someTime is a time of day, often one at which clocks are moved.
func someTime(random *rand.Rand, hours int) string {
	hour := random.IntN(hours)
	if random.IntN(2) == 0 {
		hour = random.IntN(4)
	}
	if hour == 24 {
		return "24:00"
	}
	return fmt.Sprintf("%02d:%02d", hour, []int{0, 0, 15, 30, 59}[random.IntN(5)])
}

// modelQuiet says whether people who look at their clock and calendar take it for a quiet time.
func modelQuiet(q *QuietHours, at time.Time) bool {
	local := at.In(q.Zone())
	clock := local.Format("15:04")
	begins := func(day time.Weekday) bool {
		return len(q.Days) == 0 || strings.Contains(strings.Join(q.Days, ","), strings.ToLower(day.String()[:3]))
	}
	if q.From < q.To {
		return begins(local.Weekday()) && q.From <= clock && clock < q.To
	}
	return begins(local.Weekday()) && q.From <= clock || begins((local.Weekday()+6)%7) && clock < q.To
}

func checkQuietHours(t *testing.T, q *QuietHours, from time.Time) {
	t.Helper()
	const minutes = 5 * 24 * 60
	quiet := make([]bool, minutes)
	for i := range quiet {
		quiet[i] = modelQuiet(q, from.Add(time.Duration(i)*time.Minute))
	}
	var begins, ends int // the next minute at which it does; -1: beyond what was looked at
	begins, ends = -1, -1
	for i := minutes - 1; i >= 0; i-- {
		if i+1 < minutes && quiet[i] != quiet[i+1] {
			if quiet[i] {
				ends = i + 1
			} else {
				begins = i + 1
			}
		}
		at := from.Add(time.Duration(i) * time.Minute).Add(time.Second * 17)
		end := q.Ends(at)
		switch {
		case end.IsZero() == quiet[i]:
			t.Fatalf("%+v at %v: ends at %v, and quiet is %v", q, at.In(q.Zone()), end, quiet[i])
		case quiet[i] && ends >= 0 && !end.Equal(from.Add(time.Duration(ends)*time.Minute)):
			t.Fatalf("%+v at %v: ends at %v, want minute %d", q, at.In(q.Zone()), end, ends)
		}
		if next, _ := q.Next(at); !quiet[i] && begins >= 0 && !next.Equal(from.Add(time.Duration(begins)*time.Minute)) {
			t.Fatalf("%+v at %v: next at %v, want minute %d", q, at.In(q.Zone()), next, begins)
		}
	}
}

// Urgent events and their ends are sent at once where that is selected; a test always is.
func TestWhatQuietHoursKeep(t *testing.T) {
	t.Parallel()
	night := time.Date(2026, 11, 22, 23, 0, 0, 0, time.UTC)
	morning := time.Date(2026, 11, 23, 6, 0, 0, 0, time.UTC)
	urgent := nights(func(q *QuietHours) { q.Urgent = true })
	for _, e := range append(AlertEvents(), AlertFlooded) {
		atOnce := e == AlertDown || e == AlertUp || e == AlertCheckInMissing || e == AlertCheckInFailed || e == AlertCheckInReporting || e == AlertAlarm || e == AlertAlarmOK || e == AlertRateExceeded || e == AlertVolumeSpike
		if got := urgent.Keep(e, false, night); got.IsZero() != atOnce || !atOnce && got != morning {
			t.Errorf("%s with urgent ones at once: %v", e, got)
		}
		if got := nights().Keep(e, false, night); got != morning {
			t.Errorf("%s: %v", e, got)
		}
		if got := nights().Keep(e, true, night); !got.IsZero() {
			t.Errorf("a test of %s: %v", e, got)
		}
		if got := nights().Keep(e, false, morning); !got.IsZero() {
			t.Errorf("%s in the morning: %v", e, got)
		}
	}
	if got := (*QuietHours)(nil).Keep(AlertOccurred, false, night); !got.IsZero() {
		t.Errorf("without quiet hours: %v", got)
	}
}

func TestQuietHoursInWords(t *testing.T) {
	t.Parallel()
	for hours, want := range map[string]string{
		"22:00 07:00 Europe/Berlin":                      "from 22:00 to 07:00 (Europe/Berlin)",
		"22:00 07:00 Asia/Tokyo mon,tue,wed,thu,fri":     "Mon to Fri from 22:00 to 07:00 (Asia/Tokyo)",
		"00:00 24:00 UTC sat,sun":                        "Sat and Sun from 00:00 to 24:00 (UTC)",
		"22:00 07:00 UTC mon,wed,fri":                    "Mon, Wed and Fri from 22:00 to 07:00 (UTC)",
		"22:00 07:00 UTC mon,tue,wed,thu,fri,sat,sun":    "from 22:00 to 07:00 (UTC)",
		"22:00 07:00 America/Argentina/Buenos_Aires tue": "Tue from 22:00 to 07:00 (America/Argentina/Buenos_Aires)",
	} {
		if got := quietOf(hours).Words(); got != want {
			t.Errorf("%s: %s, want %s", hours, got, want)
		}
	}
	if got := nights(func(q *QuietHours) { q.TimeZone = "" }).Words(); got != "from 22:00 to 07:00 (UTC)" {
		t.Error(got)
	}
}

func TestQuietHoursThatAreSent(t *testing.T) {
	t.Parallel()
	before := pager(func(s *IntegrationSettings) { s.QuietHours = nights() })
	for body, want := range map[string]*QuietHours{
		`{"active":true}`:                               before.QuietHours,
		`{"quiet_hours":null}`:                          nil,
		`{"quiet_hours":{"from":"21:30","to":"06:00"}}`: {From: "21:30", To: "06:00", Urgent: true},
		`{"quiet_hours":{"from":"00:00","to":"24:00","days":["sun","sat","sun"]}}`: {From: "00:00", To: "24:00", Urgent: true, Days: []string{"sat", "sun"}},
		`{"quiet_hours":{"from":"22:00","to":"07:00","time_zone":"Eastern Time (US & Canada)","days":null,"urgent_at_once":false}}`: {
			From: "22:00", To: "07:00", TimeZone: "Eastern Time (US & Canada)",
		},
	} {
		var p sett.Problems
		got := integrationChange(t, body).Update(&p, someKinds(), before, integrationDay)
		if diff := cmp.Diff(want, got.QuietHours); diff != "" || len(p) > 0 {
			t.Errorf("%s: %v (-want +got):\n%s", body, p, diff)
		}
	}
}

func TestQuietHoursThatAreRefused(t *testing.T) {
	t.Parallel()
	const blank = "can't be blank: give a time of day such as 22:00"
	const time = "must be a time of day such as 22:00 or 07:30; "
	const names = "quiet_hours must be some of from, to, time_zone, days, urgent_at_once; "
	const days = "quiet_hours.days must be some of mon, tue, wed, thu, fri, sat, sun; "
	inside := func(fields string) string { return `{"from":"22:00","to":"07:00",` + fields + `}` }
	for body, want := range map[string]string{
		`"22:00-07:00"`:                    "quiet_hours must be an object",
		`[]`:                               "quiet_hours must be an object",
		`{}`:                               "quiet_hours.from " + blank + "; quiet_hours.to " + blank,
		`{"from":"22:00","to":null}`:       "quiet_hours.to " + blank,
		`{"from":[22],"to":"07:00"}`:       "quiet_hours.from must be a string",
		`{"from":"24:30","to":"7:00"}`:     "quiet_hours.from " + time + `"24:30" is none; quiet_hours.to ` + time + `"7:00" is none`,
		`{"from":"10 pm","to":"07:00:00"}`: "quiet_hours.from " + time + `"10 pm" is none; quiet_hours.to ` + time + `"07:00:00" is none`,
		`{"from":"24:00","to":"07:00"}`:    "quiet_hours.from must be before 24:00: the next day starts at 00:00",
		`{"from":"07:00","to":"07:00"}`:    "quiet_hours.to must not be the same as from: for whole days, use 00:00 to 24:00 and list the days",
		`{"from":"00:00","to":"24:00"}`:    "quiet_hours.days must leave out a day if they last from 00:00 to 24:00: no notification would ever be sent",
		`{"from":"00:00","to":"24:00","days":["mon","tue","wed","thu","fri","sat","sun"]}`: "quiet_hours.days must leave out a day if they last from 00:00 to 24:00: no notification would ever be sent",
		inside(`"time_zone":"Europe/Berln"`):                                               `quiet_hours.time_zone "Europe/Berln" is no time zone; did you mean Europe/Berlin?`,
		inside(`"time_zone":[1]`):                                                          "quiet_hours.time_zone must be a string",
		inside(`"days":["monday"]`):                                                        days + `"monday" is none of them`,
		inside(`"days":["mon","tu"]`):                                                      days + `"tu" is none of them, tue is`,
		inside(`"days":"mon"`):                                                             "quiet_hours.days must be an array of strings",
		inside(`"urgent_at_once":"soon"`):                                                  "quiet_hours.urgent_at_once must be true or false",
		inside(`"timezone":"UTC"`):                                                         names + `"timezone" is none of them, time_zone is`,
	} {
		for made, change := range map[string]func(*sett.Problems, IntegrationChange){
			"made":    func(p *sett.Problems, c IntegrationChange) { c.Create(p, someKinds(), integrationDay) },
			"changed": func(p *sett.Problems, c IntegrationChange) { c.Update(p, someKinds(), pager(), integrationDay) },
		} {
			var p sett.Problems
			change(&p, integrationChange(t, `{"type":"Pager","options":{"to":"ann"},"quiet_hours":`+body+`}`))
			if got := strings.Join(p, "; "); got != want {
				t.Errorf("%s, %s:\n got %s\nwant %s", made, body, got, want)
			}
		}
	}
	var p sett.Problems
	integrationChange(t, `{"type":"Tickets","options":{"to":"ann"},"quiet_hours":{"from":"22:00","to":"07:00"}}`).Create(&p, someKinds(), integrationDay)
	if got := strings.Join(p, "; "); got != "quiet_hours can't be set for an issue tracker: issues wake no one" {
		t.Errorf("a tracker: %s", got)
	}
}
