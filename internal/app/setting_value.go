package app

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"net/mail"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"

	"sett/internal/base/dial"
	"sett/internal/notify/channel"
	"sett/internal/sett/accounts"
	"sett/internal/sett/checks"
)

// settingKinds are the kinds of settings, each with what reads a value of it.
var settingKinds = map[string]func(Setting, string) (any, error){
	"text": asItIs, "file": asItIs, "dir": asItIs,
	"choice": ofSetting(Setting.parseChoice), "level": ofSetting(Setting.parseLevel),
	"switch": reads(parseSwitch), "count": reads(parseCount), "size": reads(parseSize), "days": reads(parseDays),
	"address": reads(parseAddress), "domain": reads(parseDomain), "listener": reads(parseListener), "nameserver": reads(parseNameServer),
	"networks": reads(parseNetworks), "url": reads(parseURL), "urls": reads(parseURLs), "header": reads(parseHeader),
	"contact": reads(parseContact), "securitycontact": reads(parseSecurityContact), "mailbox": reads(parseMailbox), "smtp": reads(parseSMTP),
	"postgres": reads(parsePostgres), "objects": reads(parseObjects), "directory": reads(parseDirectory),
	"issuer": reads(parseIssuer), "roles": reads(parseRoles), "labels": reads(checks.ParseLocationLabels),
}

func asItIs(_ Setting, text string) (any, error) { return text, nil }

// reads is a kind whose values are read without regard to the setting.
func reads[V any](parse func(string) (V, error)) func(Setting, string) (any, error) {
	return func(_ Setting, text string) (any, error) { return parse(text) }
}

// ofSetting is a kind whose settings say which values there are.
func ofSetting[V any](parse func(Setting, string) (V, error)) func(Setting, string) (any, error) {
	return func(s Setting, text string) (any, error) { return parse(s, text) }
}

// parse reads a value of the setting's kind; the result has the type of its field in Config. The error is a phrase
// that follows the value and says what to write instead.
func (s Setting) parse(text string) (any, error) {
	if text == "" && s.Default != "" {
		return nil, fmt.Errorf("is empty; remove it for %s", s.Default)
	}
	parse, known := settingKinds[s.is]
	if !known {
		panic("app: setting " + s.Flag + " is of an unknown kind " + s.is)
	}
	return parse(s, text)
}

func (s Setting) parseChoice(text string) (string, error) {
	if slices.Contains(s.Choices, text) {
		return text, nil
	}
	all := strings.Join(s.Choices, ", ")
	return "", fmt.Errorf("is not one of %s; %s", all, Suggest(text, s.Choices, "write one of them"))
}

func (s Setting) parseLevel(text string) (level slog.Level, err error) {
	if text, err = s.parseChoice(text); err != nil {
		return 0, err
	}
	err = level.UnmarshalText([]byte(text))
	return level, err
}

func parseSwitch(text string) (bool, error) {
	on, err := strconv.ParseBool(text)
	if err != nil {
		return false, errors.New("must be true or false")
	}
	return on, nil
}

func parseCount(text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0, errors.New("is not a whole number; write one such as 360, or 0 for no limit")
	}
	return n, nil
}

// parseSize reads a number of bytes, which may have a unit.
func parseSize(text string) (int64, error) {
	n, err := humanize.ParseBytes(text)
	if err != nil || n > math.MaxInt64 {
		return 0, errors.New("is not a size; write one such as 500MB, 1GB or 1GiB, or a number of bytes")
	}
	return int64(n), nil
}

func parseDays(text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 || n > accounts.MaxPurgeDays {
		return 0, fmt.Errorf("is not a number of days; write one from 1 to %d", accounts.MaxPurgeDays)
	}
	return n, nil
}

func parseAddress(text string) (string, error) {
	_, port, err := net.SplitHostPort(text)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	if err != nil {
		return "", errors.New("is not an address to listen on; write host:port, such as 127.0.0.1:8080 or :8080")
	}
	return text, nil
}

// parseNetworks reads networks in CIDR notation, or single addresses, separated by commas.
func parseNetworks(text string) ([]netip.Prefix, error) {
	var networks []netip.Prefix
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		network, err := netip.ParsePrefix(part)
		if ip, ipErr := netip.ParseAddr(part); ipErr == nil {
			network, err = netip.PrefixFrom(ip.WithZone(""), ip.BitLen()), nil
		}
		if err != nil {
			return nil, fmt.Errorf("has %q, which is not a network; write networks such as 10.0.0.0/8, separated by commas", part)
		}
		networks = append(networks, dial.Unmapped(network.Masked())) // addresses of clients are unmapped too
	}
	return networks, nil
}

// parseURL reads the address of a web server; an empty one stays empty. Paths are joined to it, so it keeps no slash
// at the end.
func parseURL(text string) (string, error) {
	if text == "" {
		return "", nil
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return "", errors.New("is not a web address; write one such as https://sett.example.org")
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return "", errors.New("has more than a host and a path; write it like https://sett.example.org")
	}
	return strings.TrimRight(u.String(), "/"), nil
}

// parseURLs reads addresses of web servers, separated by commas.
func parseURLs(text string) (addresses []string, err error) {
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		u, err := url.Parse(part)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
			return nil, fmt.Errorf("has %q, which is not a web address; write addresses such as https://one.one.one.one/, separated by commas", part)
		}
		addresses = append(addresses, part)
	}
	return addresses, nil
}

func parsePostgres(text string) (string, error) {
	if text == "" {
		return "", nil
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "postgres" && u.Scheme != "postgresql" {
		return "", errors.New("is not a PostgreSQL URL; write postgres://user:password@host:5432/name, with special characters of the password percent-encoded, or remove it for SQLite")
	}
	return text, nil
}

func parseSMTP(text string) (string, error) {
	if text == "" {
		return "", nil
	}
	if _, err := channel.ParseMailServer(text); err != nil {
		return "", err
	}
	return text, nil
}

// parseMailbox reads an address with or without a name (RFC 5322 §3.4).
func parseMailbox(text string) (string, error) {
	if text == "" {
		return "", nil
	}
	if _, err := mail.ParseAddress(text); err != nil {
		return "", errors.New("is not an email sender; write sett@example.org, or Sett <sett@example.org>")
	}
	return text, nil
}
