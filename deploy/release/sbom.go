package main

import (
	"bytes"
	"runtime/debug"
	"time"

	"github.com/CycloneDX/cyclonedx-go"
)

// writeSBOM lists the modules that the programs contain, as the linker recorded them, with their checksums.
func (r *release) writeSBOM() error {
	bom := cyclonedx.NewBOM()
	self := component(debug.Module{Path: "sett", Version: r.built[0].info.Main.Version})
	self.Type = cyclonedx.ComponentTypeApplication
	bom.Metadata = &cyclonedx.Metadata{Timestamp: r.at.Format(time.RFC3339), Component: &self}
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
	seen := map[string]bool{}
	add := func(m debug.Module) {
		if c := component(m); !seen[c.BOMRef] {
			seen[c.BOMRef] = true
			parts, refs = append(parts, c), append(refs, c.BOMRef)
		}
	}
	for _, p := range r.built {
		add(debug.Module{Path: "stdlib", Version: p.info.GoVersion})
		for _, m := range p.info.Deps {
			if m.Replace != nil {
				m = m.Replace
			}
			add(*m)
		}
	}
	return parts, refs
}

func component(m debug.Module) cyclonedx.Component {
	url := "pkg:golang/" + m.Path + "@" + m.Version
	c := cyclonedx.Component{BOMRef: url, Type: cyclonedx.ComponentTypeLibrary, Name: m.Path, Version: m.Version, PackageURL: url}
	if m.Sum != "" {
		c.Properties = &[]cyclonedx.Property{{Name: "go:sum", Value: m.Sum}}
	}
	return c
}
