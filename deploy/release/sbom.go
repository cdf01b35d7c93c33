package main

import (
	"bytes"
	"runtime/debug"
	"time"

	"github.com/CycloneDX/cyclonedx-go"

	"sett/deploy/licenses"
)

// writeSBOM lists the modules that the programs contain, as the linker recorded them, with their checksums and licenses.
func (r *release) writeSBOM() error {
	bom := cyclonedx.NewBOM()
	self := component(debug.Module{Path: "sett", Version: "v" + r.number}, []string{"Apache-2.0"})
	self.Type = cyclonedx.ComponentTypeApplication
	supplier := &cyclonedx.OrganizationalEntity{Name: r.owner.Name, URL: &[]string{r.owner.Home}, Contact: &[]cyclonedx.OrganizationalContact{{Email: r.owner.Email}}}
	bom.Metadata = &cyclonedx.Metadata{Timestamp: r.at.Format(time.RFC3339), Component: &self, Supplier: supplier}
	parts, uses := r.parts()
	bom.Components, bom.Dependencies = &parts, &[]cyclonedx.Dependency{{Ref: self.BOMRef, Dependencies: &uses}}
	var buf bytes.Buffer
	if err := cyclonedx.NewBOMEncoder(&buf, cyclonedx.BOMFileFormatJSON).SetPretty(true).SetEscapeHTML(false).Encode(bom); err != nil {
		return err
	}
	return r.write("sett_"+r.version()+"_sbom.cdx.json", buf.Bytes())
}

// parts are the standard library and each module of any of the programs, once.
func (r *release) parts() (parts []cyclonedx.Component, refs []string) {
	seen, under := map[string]bool{}, map[string][]string{}
	for _, m := range r.modules {
		under[m.Path] = m.IDs
	}
	add := func(m debug.Module) {
		if c := component(m, under[m.Path]); !seen[c.BOMRef] {
			seen[c.BOMRef] = true
			parts, refs = append(parts, c), append(refs, c.BOMRef)
		}
	}
	for _, p := range r.built {
		add(debug.Module{Path: licenses.Standard, Version: p.info.GoVersion})
		for _, m := range p.info.Deps {
			if m.Replace != nil {
				m = m.Replace
			}
			add(*m)
		}
	}
	return parts, refs
}

// component is a module under some licenses.
func component(m debug.Module, under []string) cyclonedx.Component {
	url := "pkg:golang/" + m.Path + "@" + m.Version
	all := cyclonedx.Licenses{}
	c := cyclonedx.Component{BOMRef: url, Type: cyclonedx.ComponentTypeLibrary, Name: m.Path, Version: m.Version, PackageURL: url}
	for _, id := range under {
		license := cyclonedx.LicenseChoice{License: &cyclonedx.License{ID: id}}
		if id == licenses.Patents { // which SPDX does not list
			license.License = &cyclonedx.License{Name: id}
		}
		all = append(all, license)
	}
	if len(all) > 0 {
		c.Licenses = &all
	}
	if m.Sum != "" {
		c.Properties = &[]cyclonedx.Property{{Name: "go:sum", Value: m.Sum}}
	}
	return c
}
