// Package traffic makes reports like those of a busy Rails application, as notices or as envelopes of Sentry. It takes a number and a seed,
// which determine them, and returns their bodies. Measurements send them, and so do tests that need many. The package sends nothing, and knows
// no server.
package traffic

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// The traffic is that of a busy Rails application: 60 kinds of error in each project, of which few make most of the notices; 25 to 40 frames;
// 25 to 45 values of context, params, session and CGI data, most of them unlike those of any other notice. That is 8.7 KB on average.
const (
	Projects = 10
	kinds    = 60
	Users    = 50_000
	Zipf     = 1.2 // the exponent of the frequencies of kinds
)

// Kind is a kind of error: a JSON text with gaps for what differs between its notices.
type Kind struct {
	texts [][]byte // one more than fills
	fills []filler
}

// filler appends a value for one notice.
type filler func(text []byte, r *rand.Rand, o *occasion) []byte

// occasion is what the values of one notice have in common.
type occasion struct {
	user, order int
	event       string
}

// Kinds returns the kinds of error of one project, as notices.
func Kinds(r *rand.Rand, project int) []Kind { return kindsOf(r, project, newKind) }

// EnvelopeKinds returns the same kinds of error, as envelopes of Sentry.
func EnvelopeKinds(r *rand.Rand, project int) []Kind { return kindsOf(r, project, newEnvelopeKind) }

func kindsOf(r *rand.Rand, project int, newKind func(r *rand.Rand, project, i int) Kind) []Kind {
	all := make([]Kind, kinds)
	for i := range all {
		all[i] = newKind(r, project, i)
	}
	return all
}

// gap is between the texts of a kind, and is followed by the name of a filler and another gap.
const gap = "\x00"

func newKind(r *rand.Rand, project, i int) Kind {
	var b strings.Builder
	token := ""
	if i%2 == 0 { // as the Ruby, Go and Python clients send
		token = `"token":"` + gap + "uuid" + gap + `",`
	}
	fmt.Fprintf(&b, `{"notifier":{"name":"bench","url":"https://example.test","version":"1.0"},"error":{%s"class":"Bench%d::Error%d",`, token, project, i)
	fmt.Fprintf(&b, `"message":"Couldn't find Order with 'id'=%sorder%s","tags":["bench","p%d"],"fingerprint":null,"causes":[],"backtrace":[`, gap, gap, project)
	for f := range 25 + r.IntN(16) {
		root, context := "[PROJECT_ROOT]/app/models", "app"
		if f > 3 {
			root, context = "[GEM_ROOT]/gems/activerecord-8.0.1/lib/active_record", "all"
		}
		fmt.Fprintf(&b, `%s{"number":"%d","column":null,"file":"%s/%s/%s_%s.rb","method":"%s_with_%s","context":"%s"}`,
			comma(f), 10+r.IntN(400), root, word(r), word(r), word(r), word(r), word(r), context)
	}
	fmt.Fprintf(&b, `]},"request":{"url":"https://shop.example.test/orders/%sorder%s?page=2","component":"orders","action":"show",`, gap, gap)
	extra := 8 + r.IntN(19)
	for n, s := range sections {
		if n > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `"%s":{`, s.name)
		b.WriteString(s.members)
		for range extra * s.share / 10 {
			fmt.Fprintf(&b, `,"%s%s_%s":"%s%s%s"`, s.prefix, word(r), word(r), gap, unlike[r.IntN(len(unlike))], gap)
		}
		b.WriteByte('}')
	}
	fmt.Fprintf(&b, `},"server":{"project_root":"/srv/shop","environment_name":"production","hostname":"%shost%s","revision":"4f2a9c1e7b","time":"2026-11-20 12:16:55 UTC","pid":4711,`, gap, gap)
	b.WriteString(`"stats":{"mem":{"total":24105.5,"free":14243.5,"buffers":21.9,"cached":73.6},"load":{"one":0.7,"five":0.6,"fifteen":0.5}}},"breadcrumbs":{"enabled":true,"trail":[`)
	for n := range 4 + r.IntN(6) {
		fmt.Fprintf(&b, `%s{"category":"query","message":"Active Record","metadata":{"sql":"SELECT %s FROM %s WHERE id = $1","duration":%s},"timestamp":"2026-11-20T12:16:%02d.%03dZ"}`,
			comma(n), word(r), word(r), gap+"duration"+gap, r.IntN(60), r.IntN(1000))
	}
	fmt.Fprintf(&b, `]},"details":{},"correlation_context":{"request_id":"%suuid%s"}}`, gap, gap)
	return split(b.String())
}

func comma(n int) string {
	if n == 0 {
		return ""
	}
	return ","
}

// sections are the parts of a request, each with members that all kinds have and its share, in tenths, of those that a kind has besides.
var sections = []struct {
	name, prefix, members string
	share                 int
}{
	{"context", "", `"user_id":"` + gap + "user" + gap + `","user_email":"user` + gap + "user" + gap + `@example.test","plan":"` + gap + "plan" + gap +
		`","account":{"id":"` + gap + "number" + gap + `","cart":"` + gap + "uuid" + gap + `"}`, 3},
	{"params", "", `"controller":"orders","action":"show","id":"` + gap + "order" + gap + `","coupon":"` + gap + "word" + gap + `"`, 4},
	{"session", "", `"visitor":"` + gap + "long" + gap + `","return_to":"/orders/` + gap + "order" + gap + `/items/` + gap + "number" + gap + `"`, 2},
	{"cgi_data", "HTTP_X_", `"REQUEST_METHOD":"GET","HTTP_HOST":"shop.example.test","SERVER_PORT":"443","REMOTE_ADDR":"` + gap + "address" + gap +
		`","HTTP_USER_AGENT":"` + gap + "browser" + gap + `","HTTP_ACCEPT_LANGUAGE":"en-GB,en;q=0.9","HTTP_X_REQUEST_ID":"` + gap + "uuid" + gap +
		`","HTTP_REFERER":"https://shop.example.test/carts/` + gap + "number" + gap + `"`, 1},
}

// unlike are the fillers of values that hardly any two notices share.
var unlike = []string{"uuid", "long", "number", "mail", "path", "hex"}

// fillers by the names in gaps.
var fillers = map[string]filler{
	"user":   func(b []byte, _ *rand.Rand, o *occasion) []byte { return strconv.AppendInt(b, int64(o.user), 10) },
	"order":  func(b []byte, _ *rand.Rand, o *occasion) []byte { return strconv.AppendInt(b, int64(o.order), 10) },
	"number": func(b []byte, r *rand.Rand, _ *occasion) []byte { return strconv.AppendUint(b, uint64(r.Uint32()), 10) },
	"duration": func(b []byte, r *rand.Rand, _ *occasion) []byte {
		return strconv.AppendFloat(b, float64(r.IntN(9000))/100, 'f', 2, 64)
	},
	"plan": func(b []byte, r *rand.Rand, _ *occasion) []byte { return append(b, Plans[r.IntN(len(Plans))]...) },
	"host": func(b []byte, r *rand.Rand, _ *occasion) []byte {
		return strconv.AppendInt(append(b, "web-"...), int64(r.IntN(24)), 10)
	},
	"word":  func(b []byte, r *rand.Rand, _ *occasion) []byte { return append(b, word(r)...) },
	"event": appendEvent,
	"trace": func(b []byte, r *rand.Rand, _ *occasion) []byte { id := random(r); return hex.AppendEncode(b, id[:16]) },
	"hex":   func(b []byte, r *rand.Rand, _ *occasion) []byte { id := random(r); return hex.AppendEncode(b, id[:16]) },
	"long": func(b []byte, r *rand.Rand, _ *occasion) []byte {
		id := random(r)
		return base64.RawURLEncoding.AppendEncode(b, id[:])
	},
	"uuid": func(b []byte, r *rand.Rand, _ *occasion) []byte { return appendUUID(b, r) },
	"mail": func(b []byte, r *rand.Rand, _ *occasion) []byte {
		return fmt.Appendf(b, "%x@mail.example.test", r.Uint64())
	},
	"path": func(b []byte, r *rand.Rand, _ *occasion) []byte {
		return fmt.Appendf(b, "/shops/%d/orders/%d", r.IntN(1000), r.Uint32())
	},
	"address": func(b []byte, r *rand.Rand, _ *occasion) []byte {
		n := r.Uint32()
		return fmt.Appendf(b, "10.%d.%d.%d", byte(n), byte(n>>8), byte(n>>16))
	},
	"browser": func(b []byte, r *rand.Rand, _ *occasion) []byte {
		return fmt.Appendf(b, "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/%d.0.%d.0 Safari/537.36", 130+r.IntN(27), r.IntN(8000))
	},
}

// Plans are values that many notices share.
// Plans are the plans of users, one of which each notice names.
var Plans = []string{"free", "team", "business", "enterprise"}

// split makes a kind of a text with gaps.
func split(text string) (k Kind) {
	for i, piece := range strings.Split(text, gap) {
		if i%2 == 0 {
			k.texts = append(k.texts, []byte(piece))
		} else {
			k.fills = append(k.fills, fillers[piece])
		}
	}
	return k
}

// Fill writes a notice of the kind into text.
func (k *Kind) Fill(text []byte, r *rand.Rand) []byte {
	o := occasion{user: r.IntN(Users), order: int(r.Uint32())}
	text = append(text[:0], k.texts[0]...)
	for i, fill := range k.fills {
		text = append(fill(text, r, &o), k.texts[i+1]...)
	}
	return text
}

// random returns 32 random bytes.
func random(r *rand.Rand) (b [32]byte) {
	for i := 0; i < len(b); i += 8 {
		binary.LittleEndian.PutUint64(b[i:], r.Uint64())
	}
	return b
}

// appendUUID appends a random UUID, RFC 9562 §5.4.
func appendUUID(text []byte, r *rand.Rand) []byte {
	id := random(r)
	id[6], id[8] = id[6]&0x0f|0x40, id[8]&0x3f|0x80
	text = hex.AppendEncode(text, id[:4])
	for _, part := range [][]byte{id[4:6], id[6:8], id[8:10], id[10:16]} {
		text = hex.AppendEncode(append(text, '-'), part)
	}
	return text
}

func word(r *rand.Rand) string {
	b := make([]byte, 5+r.IntN(8))
	for i := range b {
		b[i] = byte('a' + r.IntN(26))
	}
	return string(b)
}
