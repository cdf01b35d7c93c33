package app

import (
	"net/mail"
	"net/netip"
	"net/url"
	"os"
	"strings"

	"sett/internal/base/dial"
	"sett/internal/notify/channel"
)

// email is how mails are sent, nil where they are off, and the domain of their Message-IDs. It needs to know the base URL.
func (a *App) email() (email *channel.Email, domain string, err error) {
	from, err := senderOf(a.cfg)
	if err != nil {
		return nil, "", err
	}
	_, domain, _ = strings.Cut(from.Address, "@")
	if a.cfg.SMTPURL == "" {
		return nil, domain, nil
	}
	server, err := channel.ParseMailServer(a.cfg.SMTPURL)
	if err != nil {
		return nil, "", err
	}
	// The operator's own server may stand anywhere, on this machine too.
	return channel.NewEmail(channel.EmailOptions{Server: server, From: from, Dialer: dial.New(dial.Anywhere()), Output: os.Stdout}), domain, nil
}

// senderOf returns the sender of emails: the setting, or sett at the host of the base URL. A host without a domain name
// sends from localhost.
func senderOf(c Config) (mail.Address, error) {
	if c.MailFrom != "" {
		from, err := mail.ParseAddress(c.MailFrom)
		if err != nil {
			return mail.Address{}, err
		}
		return *from, nil
	}
	base, err := url.Parse(c.BaseURL)
	if err != nil {
		return mail.Address{}, err
	}
	host := base.Hostname()
	if _, err := netip.ParseAddr(host); err == nil || host == "" {
		host = "localhost"
	}
	return mail.Address{Name: "sett", Address: "sett@" + host}, nil
}
