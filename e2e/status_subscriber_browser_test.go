package e2e

import (
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// sheetsDir is where pictures are kept for people to look at; "" for nowhere.
var sheetsDir = flag.String("sheets", "", "keep pictures of pages in this directory")

// TestSubscribersInBrowser goes the way of somebody who subscribes by a webhook, makes a mistake, confirms and unsubscribes.
func TestSubscribersInBrowser(t *testing.T) {
	t.Parallel()
	needJavaScript(t)
	axe, err := os.ReadFile(axePath)
	if err != nil {
		t.Fatal(err)
	}
	links := make(chan string, 1)
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var said struct {
			ConfirmURL string `json:"confirm_url"`
		}
		if json.NewDecoder(r.Body).Decode(&said) == nil {
			links <- said.ConfirmURL
		}
	}))
	t.Cleanup(hook.Close)
	b := newBoard(t)
	b.page("acme", map[string]any{"name": "Acme status"})
	b.awaitText("/status/acme", "Nothing has been checked yet")
	browser, root := openTab(t), b.base+"/status/acme"
	for _, scheme := range []string{"light", "dark"} {
		for _, width := range []int64{1440, 390} {
			browser.look(t, scheme, width)
			want := func(what, text string) {
				t.Helper()
				where := fmt.Sprintf("%s, %s, %d wide", what, scheme, width)
				browser.do(t, chromedp.WaitVisible(chromedp.Search(fmt.Sprintf("//main//*[contains(text(), %q)]", text))))
				browser.wantAccessible(t, string(axe), where)
				browser.wantSilent(t, where)
				browser.keep(t, fmt.Sprintf("subscribe-%s-%s-%d.png", strings.ReplaceAll(what, " ", "-"), scheme, width))
			}
			press := func() { t.Helper(); browser.do(t, chromedp.Click(chromedp.CSS("button.primary"))) }
			browser.do(t, chromedp.Navigate(root), chromedp.Click(chromedp.CSS(`a[href$="/subscribe#webhook"]`)), chromedp.WaitVisible(chromedp.CSS("#url")))
			want("forms", "Subscribe by webhook")
			browser.do(t, chromedp.SendKeys(chromedp.CSS("#url"), "ftp://example.test/"), chromedp.Click(chromedp.CSS("#webhook button")), chromedp.WaitVisible(chromedp.CSS(".note")))
			browser.mu.Lock()
			browser.errors = nil // Chromium notes the status 422
			browser.mu.Unlock()
			want("mistake", "This is no address of a webhook")
			address := fmt.Sprintf("%s/%s-%d", hook.URL, scheme, width)
			browser.do(t, chromedp.Navigate(root+"/subscribe"), chromedp.SendKeys(chromedp.CSS("#url"), address), chromedp.Click(chromedp.CSS("#webhook button")))
			want("secret", "whsec_")
			link, err := url.Parse(<-links)
			if err != nil {
				t.Fatal(err)
			}
			browser.do(t, chromedp.Navigate(b.base+link.Path))
			want("confirm", "will be sent to "+address)
			press()
			want("confirmed", "You are subscribed")
			browser.do(t, chromedp.Click(chromedp.CSS(`a[href$="/unsubscribe"]`)))
			want("unsubscribe", "will no longer be sent")
			press()
			want("unsubscribed", "You are unsubscribed")
		}
	}
	browser.do(t, chromedp.Navigate(root+"/subscribe"), chromedp.SendKeys(chromedp.CSS("#email"), "ann@example.test\r"))
	browser.do(t, chromedp.WaitVisible(chromedp.Search(`//h1[text()="Look into your mail"]`)))
	browser.wantAccessible(t, string(axe), "mail")
	browser.wantSilent(t, "mail")
}

// keep keeps a picture for people to look at.
func (b *tab) keep(t testing.TB, name string) {
	t.Helper()
	if *sheetsDir == "" {
		return
	}
	shot, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(*sheetsDir, name), shot, 0o644); err != nil {
		t.Fatal(err)
	}
}
