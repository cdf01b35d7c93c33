package checks

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestShownHeaders(t *testing.T) {
	t.Parallel()
	got := ShownHeaders(map[string]string{
		"set-cookie": "sid=abc", "Set-Cookie2": "sid=abc", "x-auth-token": "abc", "authorization": "Basic abc", "x-csrf-token": "abc",
		"www-authenticate": `Basic realm="x"`, "content-type": "text/html", "location": "https://ann:open@x.test/?token=abc&page=2",
	})
	want := map[string]string{
		"x-auth-token": SecretMask, "authorization": SecretMask, "x-csrf-token": SecretMask,
		"www-authenticate": `Basic realm="x"`, "content-type": "text/html", "location": "https://********@x.test/?token=********&page=2",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if ShownHeaders(nil) != nil {
		t.Error("no headers became some")
	}
}

func TestShownPage(t *testing.T) {
	t.Parallel()
	for page, want := range map[string]string{
		"Cookie: sett_session=abc; x=y\r\nHost: x":           "Cookie: ********\r\nHost: x",
		`{"headers":{"Authorization":"Bearer abc","A":"b"}}`: `{"headers":{"Authorization":"********","A":"b"}}`,
		`'HTTP_COOKIE' => 'abc'`:                             `'HTTP_COOKIE' => '********'`,
		`{"access_token": "abc", "expires_in": 5}`:           `{"access_token": "********", "expires_in": 5}`,
		"password=hush":                "password=********",
		"<p>Forgot your password?</p>": "<p>Forgot your password?</p>",
		"Bad gateway":                  "Bad gateway",
	} {
		if got := string(ShownPage([]byte(page))); got != want {
			t.Errorf("%s: %s, want %s", page, got, want)
		}
		if again := string(ShownPage([]byte(want))); again != want {
			t.Errorf("%s became %s", want, again)
		}
	}
}

// What older agents send is cleaned too.
func TestUploadsHaveNoCookies(t *testing.T) {
	t.Parallel()
	got := CheckReport{Result: ProbeResult{Headers: map[string]string{"set-cookie": "a=b", "server": "x"}, Body: []byte("Set-Cookie: a=b")}}.Cleaned(noonOfSites).Result
	if diff := cmp.Diff(map[string]string{"server": "x"}, got.Headers); diff != "" || string(got.Body) != "Set-Cookie: ********" {
		t.Errorf("%v %s", got.Headers, got.Body)
	}
}
