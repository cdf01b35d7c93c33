package flow

import (
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/webauthn"
	"github.com/chromedp/chromedp"

	"sett/e2e/rig"
	"sett/e2e/rig/browser"
)

// codeNow is what an app with the secret shows.
func codeNow(t testing.TB, secret string) string { t.Helper(); return codeAt(t, secret, time.Now()) }

// codeAt is what it shows at a time (RFC 6238, RFC 4226 section 5.3).
func codeAt(t testing.TB, secret string, at time.Time) string {
	t.Helper()
	key, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(strings.ReplaceAll(secret, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	mac := hmac.New(sha1.New, key)
	_ = binary.Write(mac, binary.BigEndian, at.Unix()/30)
	sum := mac.Sum(nil)
	return fmt.Sprintf("%06d", (binary.BigEndian.Uint32(sum[sum[19]&15:])&0x7fffffff)%1_000_000)
}

// A passkey is made and shown by the page's script in a real browser, under the content policy of the page.
func TestPasskeyInBrowser(t *testing.T) {
	t.Parallel()
	const password = "seven lonely walruses"
	listen := rig.FreeAddress(t)
	base := strings.Replace("http://"+listen, "127.0.0.1", "localhost", 1) // browsers make no passkeys for addresses without a name
	storage := []string{"--data", t.TempDir()}
	rig.Setup(t, append(storage, "--password", password))
	s := rig.Launch(t, append(storage, "--listen", listen, "--base-url", base)...)
	s.Await(t)
	t.Cleanup(func() { s.Stop(t) })

	b := browser.Open(t)
	if _, err := chromedp.Call(b.Ctx, webauthn.Enable, webauthn.EnableParams{}); err != nil {
		t.Fatal(err)
	}
	_, err := chromedp.Call(b.Ctx, webauthn.AddVirtualAuthenticator, webauthn.AddVirtualAuthenticatorParams{Options: &webauthn.VirtualAuthenticatorOptions{
		Protocol: webauthn.AuthenticatorProtocolCtap2, Transport: webauthn.AuthenticatorTransportInternal, HasResidentKey: true,
		HasUserVerification: true, IsUserVerified: true, AutomaticPresenceSimulation: true,
	}})
	if err != nil {
		t.Fatal(err)
	}
	fill := func(name, value string) chromedp.Action[chromedp.Void] {
		return chromedp.SendKeys(chromedp.CSS("#"+name), value)
	}
	send := chromedp.Click(chromedp.CSS("main button.primary:enabled"))
	see := func(element string) chromedp.Action[chromedp.Void] {
		return chromedp.WaitVisible(chromedp.CSS(element))
	}

	b.Do(t, chromedp.Navigate(base+"/login"), fill("email", "admin@example.com"), fill("password", password), send, see(`[href="/"][aria-current]`))
	b.Do(t, chromedp.Navigate(base+"/me/security/passkeys"), fill("name", "Notebook"), fill("password", "wrong"), send)
	browser.Wait[bool](t, b, `document.querySelector("[role=status]").textContent === "The password is wrong. Nothing was changed."`)
	b.Do(t, chromedp.SetValue(chromedp.CSS("#password"), password), send, see(`[aria-label="Remove Notebook"]`))

	b.Do(t, chromedp.Navigate(base+"/me/security"), chromedp.Click(chromedp.CSS(`[action="/me/security/totp"] button`)), see("code.secret"))
	secret := browser.Wait[string](t, b, `document.querySelector("code.secret").innerText`)
	b.Do(t, fill("code", codeNow(t, secret)), fill("password", password), send, see("li code"))
	recovery := browser.Wait[string](t, b, `document.querySelector("li code").innerText`)
	b.Do(t, chromedp.Navigate(base+"/me/security/passkeys"), fill("name", "Twice"), fill("password", password), fill("code", recovery), send)
	browser.Wait[bool](t, b, `document.querySelector("[role=status]").textContent === "This device already has one of your passkeys."`)
	browser.Wait[bool](t, b, `document.querySelector("#password").value !== "" && document.querySelector("#code").value === ""`) // the code is used up

	b.Do(t, chromedp.Click(chromedp.CSS(browser.OwnMenu)), see(`[action="/logout"] button`), chromedp.Click(chromedp.CSS(`[action="/logout"] button`)), see("#email"))
	b.Do(t, chromedp.Navigate(base+"/login/passkey?next=/me/sessions"), send, see(`[action="/me/sessions/others/end"]`))
	browser.Wait[bool](t, b, `document.body.textContent.includes("by passkey")`)

	b.Mu.Lock()
	defer b.Mu.Unlock()
	for _, line := range append(b.Thrown, b.Errors...) {
		if !strings.Contains(line, "422") { // 422 is the wrong password
			t.Errorf("the console says: %s", line)
		}
	}
}
