package flow

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"sett/e2e/rig"
	"sett/e2e/rig/browser"
	"sett/internal/setttest/mailserver"
)

// TestSubscribersInBrowser subscribes by a webhook, with a mistake first, and by mail, confirms and unsubscribes.
func TestSubscribersInBrowser(t *testing.T) {
	t.Parallel()
	rig.NeedJavaScript(t)
	axe, err := os.ReadFile(browser.AxePath)
	if err != nil {
		t.Fatal(err)
	}
	links := make(chan string, 1)
	mails := mailserver.Start(t, mailserver.Options{NoTLS: true, Taken: func(m mailserver.Mail) {
		links <- rig.SubscriberLink.FindString(strings.ReplaceAll(string(m.Raw), "=\r\n", ""))
	}})
	var inside atomic.Int64
	hook := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { inside.Add(1) }))
	t.Cleanup(hook.Close)
	b := newBoard(t, "--smtp-url", "smtp://"+mails.Addr+"?tls=none", "--trusted-proxies", "127.0.0.1")
	b.page("acme", map[string]any{"name": "Acme status"})
	b.awaitText("/status/acme", "No checks have run yet")
	browser, root, reader := browser.Open(t), b.Base+"/status/acme", 0
	for _, scheme := range []string{"light", "dark"} {
		for _, width := range []int64{1440, 390} {
			browser.Look(t, scheme, width)
			reader++ // each round is another reader: what one address may post is limited
			from := network.SetExtraHTTPHeadersParams{Headers: network.Headers{"X-Forwarded-For": fmt.Sprint("198.51.100.", reader)}}
			if _, err := chromedp.Call(browser.Ctx, network.SetExtraHTTPHeaders, from); err != nil {
				t.Fatal(err)
			}
			want := func(what, text string) {
				t.Helper()
				where := fmt.Sprintf("%s, %s, %d wide", what, scheme, width)
				browser.Do(t, chromedp.WaitVisible(chromedp.Search(fmt.Sprintf("//main//*[contains(text(), %q)]", text))))
				browser.WantAccessible(t, string(axe), where)
				browser.WantSilent(t, where)
				browser.Keep(t, fmt.Sprintf("subscribe-%s-%s-%d.png", strings.ReplaceAll(what, " ", "-"), scheme, width))
			}
			press := func() { t.Helper(); browser.Do(t, chromedp.Click(chromedp.CSS("button.primary"))) }
			browser.Do(t, chromedp.Navigate(root), chromedp.Click(chromedp.CSS(`a[href$="/subscribe#webhook"]`)), chromedp.WaitVisible(chromedp.CSS("#url")))
			want("forms", "Subscribe by webhook")
			browser.Do(t, chromedp.SendKeys(chromedp.CSS("#url"), "ftp://example.test/"), chromedp.Click(chromedp.CSS("#webhook button")), chromedp.WaitVisible(chromedp.CSS(".note")))
			browser.Mu.Lock()
			browser.Errors = nil // Chromium notes the status 422
			browser.Mu.Unlock()
			want("mistake", "Enter a valid webhook URL")
			address := fmt.Sprintf("%s/%s-%d", hook.URL, scheme, width) // which strangers may not reach
			browser.Do(t, chromedp.Navigate(root+"/subscribe"), chromedp.SendKeys(chromedp.CSS("#url"), address), chromedp.Click(chromedp.CSS("#webhook button")))
			want("secret", "whsec_")
			address = fmt.Sprintf("%s-%d@example.test", scheme, width)
			browser.Do(t, chromedp.Navigate(root+"/subscribe"), chromedp.SendKeys(chromedp.CSS("#email"), address+"\r"))
			want("mail", "Check your inbox")
			link, err := url.Parse(receive(t, links))
			if err != nil {
				t.Fatal(err)
			}
			browser.Do(t, chromedp.Navigate(b.Base+link.Path))
			want("confirm", "will be sent to "+address)
			press()
			want("confirmed", "You are subscribed")
			browser.Do(t, chromedp.Click(chromedp.CSS(`a[href$="/unsubscribe"]`)))
			want("unsubscribe", "will no longer be sent")
			press()
			want("unsubscribed", "You have unsubscribed")
		}
	}
	if n := inside.Load(); n > 0 {
		t.Errorf("%d requests reached a webhook on this machine that a stranger has named", n)
	}
}

// receive returns the next link, which has to come within a minute.
func receive(t *testing.T, links <-chan string) string {
	t.Helper()
	select {
	case link := <-links:
		return link
	case <-time.After(time.Minute):
		t.Fatal("no mail came within a minute")
		return ""
	}
}
