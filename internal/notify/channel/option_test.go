package channel

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
)

// pigeon is a kind with an option of every form.
func pigeon() Kind {
	return Kind{Type: "Pigeon", Options: []Option{
		{Name: "loft", Form: Text, Required: true},
		{Name: "note", Form: Text},
		{Name: "url", Form: Address},
		{Name: "ringed", Form: Flag, Default: "0"},
		{Name: "breed", Form: Choice, Choices: []string{"homer", "tumbler"}, Default: "homer"},
		{Name: "to", Form: Emails},
		{Name: "key", Form: Text, Secret: true},
		{Name: "hook", Form: Address, Secret: true},
		{Name: "seal", Form: Text, Secret: true, Required: true, Generate: func() string { return "made" }},
	}}
}

// checkApply holds the options that come of these and the fields that are refused against what is wanted.
func checkApply(t *testing.T, k Kind, old, sent, want map[string]any, refused []string) {
	t.Helper()
	var p sett.Problems
	got := k.Apply(&p, old, sent)
	text := ""
	if err := p.Refusal(); err != nil {
		text = err.Error()
	}
	for _, words := range refused {
		if !strings.Contains(text, words) {
			t.Errorf("%s: refused with %q, want %q", k.Type, text, words)
		}
	}
	if len(refused) == 0 && text != "" {
		t.Errorf("%s: refused: %s", k.Type, text)
	}
	if diff := cmp.Diff(want, got); len(refused) == 0 && diff != "" {
		t.Errorf("%s (-want +got):\n%s", k.Type, diff)
	}
}

type options = map[string]any

func TestApply(t *testing.T) {
	t.Parallel()
	fresh := options{"loft": "north", "ringed": "0", "breed": "homer", "seal": "made"}
	old := options{"loft": "north", "note": "grey", "url": "http://ann:pass@a.test/x", "ringed": "1", "breed": "tumbler", "key": "k1", "hook": "https://h.test/1", "seal": "old", "label": "L"}
	with := func(base, more options) options {
		result := options{}
		for _, from := range []options{base, more} {
			for name, value := range from {
				if result[name] = value; value == nil {
					delete(result, name)
				}
			}
		}
		return result
	}
	for name, c := range map[string]struct{ old, sent, want options }{
		"new, with defaults":         {nil, options{"loft": "north"}, fresh},
		"new, null is a default":     {nil, options{"loft": "north", "breed": nil, "seal": nil}, fresh},
		"new, own seal":              {nil, options{"loft": "north", "seal": "mine"}, with(fresh, options{"seal": "mine"})},
		"unknown names":              {nil, options{"loft": "north", "wings": 2.0}, fresh},
		"space around":               {nil, options{"loft": " north \n", "note": "\t"}, fresh},
		"label":                      {nil, options{"loft": "north", "label": "ours"}, with(fresh, options{"label": "ours"})},
		"nothing sent":               {old, options{}, old},
		"one sent":                   {old, options{"note": "blue"}, with(old, options{"note": "blue"})},
		"null resets":                {old, options{"note": nil, "ringed": nil, "breed": nil, "key": nil}, with(old, options{"note": nil, "ringed": "0", "breed": "homer", "key": nil})},
		"blank removes":              {old, options{"note": "", "key": "", "url": ""}, with(old, options{"note": nil, "key": nil, "url": nil})},
		"masks":                      {old, options{"key": Mask, "hook": Mask, "seal": Mask}, old},
		"mask in an address":         {old, options{"url": "http://" + Mask + "@a.test/x"}, old},
		"mask of another address":    {old, options{"url": "http://" + Mask + "@b.test/x"}, with(old, options{"url": "http://" + Mask + "@b.test/x"})},
		"mask that is no secret":     {old, options{"note": Mask}, with(old, options{"note": Mask})},
		"new secret":                 {old, options{"key": "k2", "hook": "https://h.test/2"}, with(old, options{"key": "k2", "hook": "https://h.test/2"})},
		"booleans":                   {old, options{"ringed": false}, with(old, options{"ringed": "0"})},
		"true":                       {nil, options{"loft": "north", "ringed": true}, with(fresh, options{"ringed": "1"})},
		"number":                     {old, options{"ringed": 0.0, "note": -1001234567890.0}, with(old, options{"ringed": "0", "note": "-1001234567890"})},
		"half":                       {old, options{"note": 1.5}, with(old, options{"note": "1.5"})},
		"number as it was written":   {old, options{"note": json.Number("12345678901234567890")}, with(old, options{"note": "12345678901234567890"})},
		"whole number":               {old, options{"note": int64(7)}, with(old, options{"note": "7"})},
		"longest":                    {old, options{"note": strings.Repeat("ü", mostOption)}, with(old, options{"note": strings.Repeat("ü", mostOption)})},
		"addresses of people":        {old, options{"to": "ann@example.test , ben@example.test,"}, with(old, options{"to": "ann@example.test , ben@example.test,"})},
		"address with a user":        {old, options{"url": "https://u:p@h.test:1/x?y#z"}, with(old, options{"url": "https://u:p@h.test:1/x?y#z"})},
		"old options that are gone":  {options{"loft": "north", "feathers": "1", "seal": "s"}, options{}, options{"loft": "north", "seal": "s"}},
		"old options of other types": {options{"loft": "north", "note": 5.0, "seal": "s"}, options{}, options{"loft": "north", "seal": "s"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checkApply(t, pigeon(), c.old, c.sent, c.want, nil)
		})
	}
}

func TestApplyRefuses(t *testing.T) {
	t.Parallel()
	const form = "must be a URL that starts with http:// or https://"
	for name, c := range map[string]struct {
		sent options
		want string
	}{
		"nothing":               {options{}, "options.loft can't be blank"},
		"blank":                 {options{"loft": " "}, "options.loft can't be blank"},
		"port":                  {options{"url": "https://a.test:65536/x"}, "must have no port, or one from 1 to 65535"},
		"mask of nothing":       {options{"loft": "n", "seal": Mask}, "options.seal can't be blank"},
		"required blank secret": {options{"loft": "n", "seal": ""}, "options.seal can't be blank"},
		"too long":              {options{"loft": strings.Repeat("a", mostOption+1)}, "is too long (maximum is 2048 characters)"},
		"line end":              {options{"loft": "a\nb"}, "must be a string without line breaks"},
		"NUL":                   {options{"key": "a\x00b"}, "options.key must be a string without line breaks"},
		"DEL":                   {options{"loft": "a\x7fb"}, "must be a string without line breaks"},
		"NEL":                   {options{"loft": "a\u0085b"}, "must be a string without line breaks"},
		"list":                  {options{"loft": []any{"a"}}, "must be a string without line breaks"},
		"object":                {options{"loft": map[string]any{}}, "must be a string without line breaks"},
		"flag":                  {options{"ringed": "yes"}, `options.ringed must be "0" or "1"`},
		"flag as a number":      {options{"ringed": 2.0}, `options.ringed must be "0" or "1"`},
		"choice":                {options{"breed": "dodo"}, "options.breed must be one of homer, tumbler"},
		"no scheme":             {options{"url": "example.test"}, form},
		"other scheme":          {options{"url": "ftp://example.test"}, form},
		"no host":               {options{"url": "https:///x"}, form},
		"no host but a port":    {options{"url": "https://:443"}, form},
		"space":                 {options{"url": "https://a.test/ b"}, form},
		"broken":                {options{"hook": "https://[::1"}, "options.hook " + form},
		"number":                {options{"url": "http://2130706433/"}, form},
		"hexadecimal":           {options{"url": "http://0x7f.1/"}, form},
		"script":                {options{"url": "javascript:alert(1)"}, form},
		"email":                 {options{"to": "ann@example.test, ben"}, `"ben" is not one`},
		"no email":              {options{"to": " , "}, "must be 1 to 20 email addresses"},
		"many emails":           {options{"to": strings.Repeat("a", 1) + "@x.test" + manyAddresses(20)}, "must be 1 to 20 email addresses"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checkApply(t, pigeon(), nil, c.sent, nil, []string{c.want})
		})
	}
}

// A value that null would generate could never be seen.
func TestNullMakesNoSecret(t *testing.T) {
	t.Parallel()
	checkApply(t, pigeon(), options{"loft": "n", "seal": "old"}, options{"seal": nil}, nil, []string{"options.seal can't be blank"})
}

func manyAddresses(n int) (text string) {
	for i := range n {
		text += "," + strings.Repeat("b", i+1) + "@x.test"
	}
	return text
}

// What no option says by itself.
func TestApplyChecksOptionsTogether(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind string
		sent options
		want string // "" is taken
	}{
		{"Slack", options{}, "options.url can't be blank without a token and a channel_id"},
		{"Slack", options{"token": "xoxb-1"}, "options.channel_id can't be blank"},
		{"Slack", options{"token": "xoxb-1", "channel_id": "C1"}, ""},
		{"Slack", options{"url": "https://hooks.slack.com/services/T/B/x"}, ""},
		{"Slack", options{"url": "hooks.slack.com"}, "options.url must be a URL"},
		{"Telegram", options{"token": "1:a", "chat_id": "Ann"}, "options.chat_id must be a number or an @name"},
		{"Telegram", options{"token": "1:a", "chat_id": -100123456789.0}, ""},
		{"Telegram", options{"token": "1:a", "chat_id": "@news", "thread_id": "07"}, "options.thread_id must be a number"},
		{"Ntfy", options{"topic": "x", "url": "https://ntfy.sh/x"}, "options.url must be only the URL of the server"},
		{"Github", options{"repo": "acme/shop", "token": "t"}, ""},
		{"Github", options{"repo": "acme/.github", "token": "t"}, ""},
		{"Github", options{"repo": "https://github.com/acme/shop", "token": "t"}, "options.repo must be an owner and a repository, such as acme/shop"},
		{"Github", options{"repo": "acme/..", "token": "t"}, "options.repo must be an owner and a repository"},
		{"Gitlab", options{"project": "acme/web/shop", "token": "t"}, ""},
		{"Gitlab", options{"project": 17.0, "token": "t"}, ""},
		{"Gitlab", options{"project": "..", "token": "t"}, "options.project must be a path such as acme/shop, or a number"},
		{"Jira", options{"server": "https://a.test", "token": "t", "project_key": "../x"}, "options.project_key must be the key of a project, such as OPS"},
		{"Trello", options{"key": "k", "token": "t", "list_id": "x/y"}, "options.list_id must be letters and digits"},
		{"Trello", options{"key": `k"`, "token": "t", "list_id": "x"}, "options.key must be letters and digits"},
		{"Linear", options{"token": "t"}, "options.team_id can't be blank"},
		{"Ntfy", options{"topic": "x"}, ""},
		{"Email", options{"addresses": "ann@example.test"}, ""},
		{"Email", options{}, "options.addresses can't be blank"},
	} {
		k, _ := Find(c.kind)
		var p sett.Problems
		k.Apply(&p, nil, c.sent)
		err := p.Refusal()
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s, %v: %v, want %q", c.kind, c.sent, err, c.want)
		}
	}
}

// A webhook has a token of its own, and a secret to sign with, without anybody saying so.
func TestWebhooksHaveSecrets(t *testing.T) {
	t.Parallel()
	made := map[any]bool{}
	for range 2 {
		var p sett.Problems
		o := webHook().Apply(&p, nil, options{"url": "https://a.test"})
		secret, _ := o["secret"].(string)
		if token, _ := o["token"].(string); len(token) < 32 || !strings.HasPrefix(secret, "whsec_") || len(secret) < 38 || p.Refusal() != nil {
			t.Errorf("%v", o)
		}
		made[o["token"]], made[o["secret"]] = true, true
	}
	if len(made) != 4 {
		t.Errorf("%v: a secret was made twice", made)
	}
}

func TestShowMasksAddresses(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://a.test/x":                   "https://a.test/x",
		"https://a.test/@x":                  "https://a.test/@x",
		"https://a.test?x=@y":                "https://a.test?x=@y",
		"https://ann:pass@a.test:8443/x@y":   "https://********@a.test:8443/x@y",
		"https://token@a.test":               "https://********@a.test",
		"https://ann:p@ss@a.test":            "https://********@a.test",
		"https://example.com%2f@127.0.0.1/@": "https://********@127.0.0.1/@",
	} {
		if got := pigeon().Show(options{"url": address})["url"]; got != want {
			t.Errorf("%s is shown as %s, want %s", address, got, want)
		}
	}
}
