package traffic

import (
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strings"
)

// newEnvelopeKind makes a kind of error as an SDK of Sentry sends it: the same values as a kind of notice has, in an envelope with one event. Its
// frames have the oldest call first.
func newEnvelopeKind(r *rand.Rand, project, i int) Kind {
	var b strings.Builder
	fmt.Fprintf(&b, `{"event_id":"%sevent%s","sent_at":"2026-11-20T12:16:55.120Z","trace":{"trace_id":"%strace%s","environment":"production","release":"4f2a9c1e7b"}}`+"\n", gap, gap, gap, gap)
	fmt.Fprintf(&b, `{"type":"event","content_type":"application/json"}`+"\n"+`{"event_id":"%sevent%s","timestamp":"2026-11-20T12:16:55.101Z","level":"error","platform":"ruby",`, gap, gap)
	fmt.Fprintf(&b, `"release":"4f2a9c1e7b","environment":"production","server_name":"%shost%s","transaction":"OrdersController#show","transaction_info":{"source":"view"},`, gap, gap)
	fmt.Fprintf(&b, `"exception":{"values":[{"type":"Bench%d::Error%d","value":"Couldn't find Order with 'id'=%sorder%s","module":"Bench%d","mechanism":{"type":"rails","handled":false},"stacktrace":{"frames":[`, project, i, gap, gap, project)
	frames := 25 + r.IntN(16)
	for f := range frames {
		root, own := "/srv/shop/app/models", true
		if f < frames-4 {
			root, own = "/usr/local/bundle/gems/activerecord-8.0.1/lib/active_record", false
		}
		file := word(r) + "_" + word(r) + ".rb"
		fmt.Fprintf(&b, `%s{"abs_path":"%s/%s","filename":"%s","function":"%s_with_%s","lineno":%d,"in_app":%t}`, comma(f), root, file, file, word(r), word(r), 10+r.IntN(400), own)
	}
	b.WriteString(`]}}]},"request":{"method":"GET","url":"https://shop.example.test/orders/` + gap + "order" + gap + `?page=2","query_string":"page=2",`)
	extra := 8 + r.IntN(19)
	values := func(share int, prefix string) {
		for range extra * share / 10 {
			fmt.Fprintf(&b, `,"%s%s_%s":"%s%s%s"`, prefix, word(r), word(r), gap, unlike[r.IntN(len(unlike))], gap)
		}
	}
	b.WriteString(`"headers":{"Host":"shop.example.test","User-Agent":"` + gap + "browser" + gap + `","Accept-Language":"en-GB,en;q=0.9","X-Request-Id":"` + gap + "uuid" + gap + `"`)
	values(1, "X-")
	b.WriteString(`},"data":{"controller":"orders","action":"show","id":"` + gap + "order" + gap + `","coupon":"` + gap + "word" + gap + `"`)
	values(4, "")
	b.WriteString(`},"env":{"REMOTE_ADDR":"` + gap + "address" + gap + `","SERVER_PORT":"443"}},"user":{"id":"` + gap + "user" + gap + `","email":"user` + gap + "user" + gap + `@example.test"},`)
	b.WriteString(`"tags":{"bench":"yes","plan":"` + gap + "plan" + gap + `"},"contexts":{"trace":{"trace_id":"` + gap + "trace" + gap + `","span_id":"b4d1a2c3e5f60718","op":"http.server"},` +
		`"runtime":{"name":"ruby","version":"3.4.1"},"os":{"name":"Linux","version":"6.12.0"},"session":{"visitor":"` + gap + "long" + gap + `"`)
	values(2, "")
	b.WriteString(`}},"extra":{"account":{"id":"` + gap + "number" + gap + `","cart":"` + gap + "uuid" + gap + `"}`)
	values(3, "")
	b.WriteString(`},"breadcrumbs":{"values":[`)
	for n := range 4 + r.IntN(6) {
		fmt.Fprintf(&b, `%s{"type":"default","category":"sql.active_record","level":"info","message":"Active Record","data":{"sql":"SELECT %s FROM %s WHERE id = $1","duration":%s},"timestamp":17636410%02d.%03d}`,
			comma(n), word(r), word(r), gap+"duration"+gap, r.IntN(60), r.IntN(1000))
	}
	b.WriteString(`]},"sdk":{"name":"sentry.ruby.rails","version":"5.28.0"}}` + "\n")
	return split(b.String())
}

// appendEvent appends the id of the event, the same one throughout an envelope.
func appendEvent(b []byte, r *rand.Rand, o *occasion) []byte {
	if o.event == "" {
		id := random(r)
		o.event = hex.EncodeToString(id[:16])
	}
	return append(b, o.event...)
}
