package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/goreleaser/nfpm/v2"
	"github.com/goreleaser/nfpm/v2/deb"
	"github.com/goreleaser/nfpm/v2/files"
	"github.com/goreleaser/nfpm/v2/rpm"
)

// packager makes packages of one kind.
type packager interface {
	ConventionalFileName(info *nfpm.Info) string
	Package(info *nfpm.Info, w io.Writer) error
}

// writePackages writes a deb and an rpm for each Linux machine.
func (r *release) writePackages(ctx context.Context) error {
	if err := errors.Join(r.writeCopyright(), r.writeForTerminals(ctx)); err != nil {
		return err
	}
	for _, p := range r.built {
		if p.system != "linux" {
			continue
		}
		for kind, by := range map[string]packager{"deb": deb.Default, "rpm": rpm.DefaultRPM} {
			if err := r.writePackage(p, kind, by); err != nil {
				return fmt.Errorf("make the %s for %s: %w", kind, p.machine, err)
			}
		}
	}
	return nil
}

// writeCopyright writes the file that packages have about their licenses.
func (r *release) writeCopyright() error {
	texts, err := r.entries("", map[string]string{"1": "LICENSE", "2": licensesFile})
	if err != nil {
		return err
	}
	return os.WriteFile(r.copyright(), slices.Concat(texts[0].data, []byte("\n"), texts[1].data), 0o600)
}

func (r *release) copyright() string { return filepath.Join(r.work, "copyright") }

func (r *release) writePackage(p program, kind string, by packager) error {
	info := nfpm.WithDefaults(r.packageInfo(p))
	if err := nfpm.PrepareForPackager(info, kind); err != nil {
		return err
	}
	var buf bytes.Buffer
	if err := by.Package(info, &buf); err != nil {
		return err
	}
	return r.write(by.ConventionalFileName(info), buf.Bytes())
}

// packageInfo is what a package has. Its scripts start nothing: the administrator first writes the settings.
func (r *release) packageInfo(p program) *nfpm.Info {
	place := func(source, destination, kind string, mode fs.FileMode) *files.Content {
		return &files.Content{Source: source, Destination: destination, Type: kind, FileInfo: &files.ContentFileInfo{Mode: mode, MTime: r.at, Owner: "root", Group: "root"}}
	}
	return &nfpm.Info{
		Name: "sett", Arch: p.machine, Platform: "linux", Version: r.version(), Section: "net", Priority: "optional", License: "Apache-2.0",
		Maintainer: r.owner.Name + " <" + r.owner.Email + ">", Vendor: r.owner.Name, Homepage: r.owner.Home, MTime: r.at, DisableGlobbing: true,
		Description: "Error tracking, uptime, check-ins and status pages\nOne program with its database in one file, or on PostgreSQL.",
		Overridables: nfpm.Overridables{
			Contents: append(r.terminalContents(place), files.Contents{
				place("", "/etc/sett", files.TypeDir, 0o755), // so that rpm removes it, as dpkg does
				place("", "/usr/share/doc/sett", files.TypeDir, 0o755),
				place(p.path, "/usr/bin/sett", files.TypeFile, 0o755),
				place(r.file("deploy/systemd/sett.service"), "/usr/lib/systemd/system/sett.service", files.TypeFile, 0o644),
				place(r.file("deploy/systemd/sysusers.conf"), "/usr/lib/sysusers.d/sett.conf", files.TypeFile, 0o644),
				place(r.file("deploy/systemd/sett.env"), "/etc/sett/sett.env", files.TypeConfigNoReplace, 0o600),
				place(r.copyright(), "/usr/share/doc/sett/copyright", files.TypeFile, 0o644),
			}...),
			Scripts: nfpm.Scripts{
				PostInstall: r.file("deploy/package/installed.sh"), PreRemove: r.file("deploy/package/removing.sh"), PostRemove: r.file("deploy/package/removed.sh"),
			},
			RPM: nfpm.RPM{BuildHost: "localhost", Group: "System Environment/Daemons", Summary: "Error tracking, uptime, check-ins and status pages"},
		},
	}
}
