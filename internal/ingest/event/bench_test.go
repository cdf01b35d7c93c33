package event

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"sett/internal/sett/accounts"
)

// sample returns a notice like those of the Ruby client, of about the given size: half of it frames with source, the
// rest what a web request brings along.
func sample(size int) []byte {
	type object = map[string]any
	frames, params, trail := []object{}, object{}, []object{}
	notice := func() []byte {
		body, err := json.Marshal(object{
			"notifier": object{"name": "honeybadger-ruby", "version": "6.9.0", "language": "ruby"},
			"error": object{
				"token": "1aa21443-ee25-48eb-a04b-0fd79fa870ca", "class": "ActiveRecord::RecordNotFound",
				"message": "ActiveRecord::RecordNotFound: Couldn't find Order with 'id'=4711", "tags": []string{"web", "checkout"},
				"fingerprint": nil, "backtrace": frames, "causes": []object{},
			},
			"request": object{
				"url": "https://shop.example.test/orders/4711?page=2", "component": "orders", "action": "show",
				"context": object{"user_id": 4711, "user_email": "ada@example.test", "plan": "gold", "tenant": object{"id": 7, "name": "Ährenfeld"}},
				"params":  params, "session": object{"sid": "1", "cart": []int{1, 2, 3}},
				"cgi_data": object{
					"REQUEST_METHOD": "GET", "REMOTE_ADDR": "192.0.2.8", "HTTP_HOST": "shop.example.test", "HTTP_COOKIE": "a=b; c=d",
					"HTTP_USER_AGENT": "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36",
					"HTTP_REFERER":    "https://shop.example.test/orders", "HTTP_ACCEPT": "text/html,application/xhtml+xml", "SERVER_PORT": "443",
				},
			},
			"server": object{
				"environment_name": "production", "hostname": "web-1", "pid": 4242, "revision": "8b5a85c5ff1b", "project_root": "/srv/shop",
				"stats": object{"mem": object{"total": 24105.55, "free": 14092.73}, "load": object{"one": 2.61, "five": 3.52}},
			},
			"breadcrumbs": object{"enabled": true, "trail": trail},
		})
		if err != nil {
			panic(err)
		}
		return body
	}
	for i := 0; len(notice()) < size; i++ {
		place := "[PROJECT_ROOT]/app/models/order_%d.rb"
		if i%4 != 0 {
			place = "[GEM_ROOT]/gems/activerecord-8.0.1/lib/active_record/core_%d.rb"
		}
		frames = append(frames, object{
			"file": fmt.Sprintf(place, i), "method": "block (2 levels) in find_by_something", "number": fmt.Sprint(100 + i),
			"source": object{"99": "    def find(id)\n", "100": "      cache.fetch(\"order-#{id}\") do\n", "101": "        where(id: id).first!\n"},
		})
		params[fmt.Sprintf("field_%d", i)] = fmt.Sprintf("Value number %d", i)
		trail = append(trail, object{
			"category": "query", "message": "Order Load", "timestamp": "2026-11-20T12:52:33.333Z",
			"metadata": object{"sql": "SELECT \"orders\".* FROM \"orders\" WHERE \"orders\".\"id\" = ? LIMIT ?", "duration": 1.25},
		})
	}
	return notice()
}

// BenchmarkParse compares parsing with the least that any parser on top of jsontext would do: to read all tokens.
func BenchmarkParse(b *testing.B) {
	project := accounts.KeyedProject{ProjectID: 1, AccountID: "a", Active: true}
	f := new(Facets)
	for _, size := range []int{2 << 10, 8 << 10, 20 << 10} {
		body := sample(size)
		b.Run(fmt.Sprintf("parse/%dKB", size>>10), func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := parse(body, project, time.Unix(0, 0), f); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("jsontext/%dKB", size>>10), func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			d := jsontext.NewDecoder(bytes.NewBuffer(body))
			for b.Loop() {
				d.Reset(bytes.NewBuffer(body))
				for {
					if _, err := d.ReadToken(); errors.Is(err, io.EOF) {
						break
					} else if err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
