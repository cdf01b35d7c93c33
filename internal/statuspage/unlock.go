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

// How long a browser need not show the password again, and how long one is at most.
const (
	unlockedFor     = 30 * 24 * time.Hour
	mostPassword    = 1000 // bytes
	mostUnlockBytes = 4 << 10
	cookieName      = "sett_status"
)

// askPassword answers a visit with the form for the page's password, unless it has none or the visitor has shown it.
func (p *Pages) askPassword(w http.ResponseWriter, r *http.Request, v *visit) error {
	if !v.drawn.protected() || p.unlocked(r, v) {
		return nil
	}
	shown, err := p.basic(r, v)
	if err != nil || shown {
		return err
	}
	v.locked = true
	if !strings.Contains(r.Header.Get("Accept"), "text/html") { // else browsers would ask by themselves, above the form
		w.Header().Set("WWW-Authenticate", `Basic realm="Status page", charset="UTF-8"`)
	}
	return v.showForm(w, r, "", http.StatusUnauthorized)
}

func (v *visit) showForm(w http.ResponseWriter, r *http.Request, problem string, status int) error {
	if v.drawn.view.Page.Unlisted {
		w.Header()["X-Robots-Tag"] = noIndex
	}
	shell := Shell{Title: v.drawn.view.Page.Name, Name: v.drawn.view.Page.Name, Root: v.face.root, Style: v.pages.style, Hidden: true}
	return v.pages.answerPage(w, r, status, "unlock", unlockPage{shell, problem})
}

// unlocked reports whether the browser has what a right password was answered with.
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

// sign returns the proof that the page was unlocked until a time. The key is new with each password, which so ends all
// proofs.
func (v *visit) sign(until string) string {
	page := v.drawn.view.Page
	mac := hmac.New(sha256.New, page.PasswordKey)
	mac.Write([]byte("unlocked " + page.ID + " " + until))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// basic reports whether the request shows the password by HTTP Basic, under any name, as readers of feeds can. The right one
// is remembered by a keyed hash, because the one that is stored takes long to check.
func (p *Pages) basic(r *http.Request, v *visit) (shown bool, err error) {
	_, password, given := r.BasicAuth()
	if !given || len(v.drawn.view.Page.PasswordKey) == 0 {
		return false, nil
	}
	mac := hmac.New(sha256.New, v.drawn.view.Page.PasswordKey)
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

// try checks a password, unless too many were tried from there, or on the page.
func (p *Pages) try(r *http.Request, v *visit, password string) (right bool, err error) {
	key := p.client(r)
	key.page = v.page.id
	if !p.tries.allow(key, p.Now()) || !p.triesAll.allow(limitKey{page: v.page.id}, p.Now()) {
		return false, &sett.Error{
			Code: sett.TooMany, Message: "Too many passwords were tried. Wait a few seconds and try again.", RetryAfter: time.Duration(float64(time.Second) / tryRate),
		}
	}
	if password == "" || len(password) > mostPassword {
		return false, nil
	}
	right, err = p.CheckPassword(r.Context(), v.drawn.view.Page.PasswordHash, password)
	if errors.Is(err, context.Canceled) {
		return false, sett.Errorf(sett.Unavailable, "The request was canceled before it was complete. Try again.")
	}
	return right, err
}

// unlock takes the form with the password.
func (p *Pages) unlock(w http.ResponseWriter, r *http.Request) error {
	if !p.posts.allow(p.client(r), p.Now()) {
		return tooMany()
	}
	v, err := p.find(r)
	if err != nil {
		return err
	}
	if !v.drawn.protected() {
		return v.toFront(w)
	}
	r.Body = http.MaxBytesReader(w, r.Body, mostUnlockBytes)
	if err := r.ParseForm(); err != nil {
		if sett.CodeOf(err) != "" {
			return err
		}
		return sett.Errorf(sett.Malformed, "The form cannot be read. Load the page again.")
	}
	right, err := p.try(r, &v, r.PostForm.Get("password"))
	switch {
	case err != nil:
		return err
	case !right:
		return v.showForm(w, r, "This is not the password. Try again.", http.StatusUnauthorized)
	}
	v.remember(w, r)
	return v.toFront(w)
}

// remember sets what shows that the page was unlocked: for all below its root, and for its summary, which is beside.
func (v *visit) remember(w http.ResponseWriter, r *http.Request) {
	until := strconv.FormatInt(v.pages.Now().Add(unlockedFor).Unix(), 10)
	paths := []string{v.face.root, v.face.root + summaryEnding}
	if v.face.root == "" {
		paths = []string{"/"}
	}
	for _, path := range paths {
		http.SetCookie(w, &http.Cookie{
			Name: cookieName, Value: until + "." + v.sign(until), Path: path, MaxAge: int(unlockedFor / time.Second),
			HttpOnly: true, Secure: v.secure(r), SameSite: http.SameSiteLaxMode,
		})
	}
}

// secure reports whether browsers are to send the cookie over HTTPS alone.
func (v *visit) secure(r *http.Request) bool {
	return v.pages.secure(r) || v.face.root != "" && v.pages.base.Scheme == "https"
}

// toFront leads the browser to the page.
func (v *visit) toFront(w http.ResponseWriter) error {
	to := v.face.root
	if to == "" {
		to = "/"
	}
	w.Header().Set("Location", to)
	w.Header()["Cache-Control"] = privately
	w.WriteHeader(http.StatusSeeOther)
	return nil
}
