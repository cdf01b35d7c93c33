package statuspage

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"sett/internal/sett"
)

// unlockPage asks for the password of a page.
type unlockPage struct {
	Shell
	Problem string
}

// How long a browser stays unlocked, and size limits.
const (
	unlockedFor     = 30 * 24 * time.Hour
	mostPassword    = 1000 // bytes
	mostUnlockBytes = 4 << 10
	cookieName      = "sett_status"
)

// askPassword answers with the password form, unless the page has no password or the visitor has entered it.
func (p *Pages) askPassword(w http.ResponseWriter, r *http.Request, v *visit) error {
	if !v.rendered.protected() || p.unlocked(r, v) {
		return nil
	}
	shown, err := p.basic(r, v)
	if err != nil || shown {
		return err
	}
	v.locked = true
	if !strings.Contains(r.Header.Get("Accept"), "text/html") { // browsers would otherwise show their own dialog above the form
		w.Header().Set("WWW-Authenticate", `Basic realm="Status page", charset="UTF-8"`)
	}
	return v.showForm(w, r, "", http.StatusUnauthorized)
}

func (v *visit) showForm(w http.ResponseWriter, r *http.Request, problem string, status int) error {
	if v.rendered.view.Page.Unlisted {
		w.Header()["X-Robots-Tag"] = noIndex
	}
	shell := Shell{Lang: v.lang, Title: v.rendered.view.Page.Name, Name: v.rendered.view.Page.Name, Root: v.variant.root, Style: v.pages.style, Hidden: true}
	return v.pages.answerPage(w, r, status, "unlock", unlockPage{shell, problem})
}

// unlocked reports whether the request has a valid cookie of an unlocked page.
func (p *Pages) unlocked(r *http.Request, v *visit) bool {
	for _, c := range r.CookiesNamed(cookieName) {
		until, mac, _ := strings.Cut(c.Value, ".")
		seconds, err := strconv.ParseInt(until, 10, 64)
		if err == nil && p.Now().Unix() < seconds && hmac.Equal([]byte(mac), []byte(v.sign(until))) {
			return true
		}
	}
	return false
}

// sign returns the proof that the page is unlocked until a time. The key changes with each password, which invalidates all
// proofs.
func (v *visit) sign(until string) string {
	page := v.rendered.view.Page
	mac := hmac.New(sha256.New, page.PasswordKey)
	mac.Write([]byte("unlocked " + page.ID + " " + until))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// basic reports whether the request has the password by HTTP Basic, with any user name, as feed readers send it. A keyed hash
// of the right password is remembered, because the stored hash is slow to check.
func (p *Pages) basic(r *http.Request, v *visit) (shown bool, err error) {
	_, password, given := r.BasicAuth()
	if !given || len(v.rendered.view.Page.PasswordKey) == 0 {
		return false, nil
	}
	mac := hmac.New(sha256.New, v.rendered.view.Page.PasswordKey)
	mac.Write([]byte("password " + password))
	hash := [32]byte(mac.Sum(nil))
	if known := v.page.password.Load(); known != nil && subtle.ConstantTimeCompare(known[:], hash[:]) == 1 {
		return true, nil
	}
	if shown, err = p.try(r, v, password); shown {
		v.page.password.Store(&hash)
	}
	return shown, err
}

// try checks a password, unless there were too many attempts from the address or for the page.
func (p *Pages) try(r *http.Request, v *visit, password string) (right bool, err error) {
	key := p.client(r)
	key.page = v.page.id
	if !p.tries.allow(key, p.Now()) || !p.triesAll.allow(limitKey{page: v.page.id}, p.Now()) {
		return false, &sett.Error{
			Code: sett.TooMany, Message: "Too many password attempts. Wait a few seconds and try again.", RetryAfter: time.Duration(float64(time.Second) / tryRate),
		}
	}
	if password == "" || len(password) > mostPassword {
		return false, nil
	}
	right, err = p.CheckPassword(r.Context(), v.rendered.view.Page.PasswordHash, password)
	if errors.Is(err, context.Canceled) {
		return false, sett.Errorf(sett.Unavailable, "The request was canceled before it was complete. Try again.")
	}
	return right, err
}

// unlock handles the password form.
func (p *Pages) unlock(w http.ResponseWriter, r *http.Request) error {
	if !p.posts.allow(p.client(r), p.Now()) {
		return tooMany()
	}
	v, err := p.find(r)
	if err != nil {
		return err
	}
	if !v.rendered.protected() {
		return v.toFront(w)
	}
	r.Body = http.MaxBytesReader(w, r.Body, mostUnlockBytes)
	if err := r.ParseForm(); err != nil {
		if sett.CodeOf(err) != "" {
			return err
		}
		return sett.Errorf(sett.Malformed, "The form could not be read. Reload the page.")
	}
	right, err := p.try(r, &v, r.PostForm.Get("password"))
	switch {
	case err != nil:
		return err
	case !right:
		return v.showForm(w, r, v.lang.Text("wrong_password"), http.StatusUnauthorized)
	}
	v.remember(w, r)
	return v.toFront(w)
}

// remember sets the cookies of an unlocked page: for all paths below its root, and for its summary, which is beside it.
func (v *visit) remember(w http.ResponseWriter, r *http.Request) {
	until := strconv.FormatInt(v.pages.Now().Add(unlockedFor).Unix(), 10)
	paths := []string{v.variant.root, v.variant.root + summaryEnding}
	if v.variant.root == "" {
		paths = []string{"/"}
	}
	for _, path := range paths {
		http.SetCookie(w, &http.Cookie{
			Name: cookieName, Value: until + "." + v.sign(until), Path: path, MaxAge: int(unlockedFor / time.Second),
			HttpOnly: true, Secure: v.secure(r), SameSite: http.SameSiteLaxMode,
		})
	}
}

// secure reports whether browsers should send the cookie only over HTTPS.
func (v *visit) secure(r *http.Request) bool {
	return v.pages.Proxies.Secure(r) || v.variant.root != "" && v.pages.base.Scheme == "https"
}

// toFront redirects to the page.
func (v *visit) toFront(w http.ResponseWriter) error {
	to := v.variant.root
	if to == "" {
		to = "/"
	}
	w.Header().Set("Location", to)
	w.Header()["Cache-Control"] = privately
	w.WriteHeader(http.StatusSeeOther)
	return nil
}
