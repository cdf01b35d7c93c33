package statuspage

import (
	"encoding/xml"
	"fmt"
)

// atomFeed is an Atom 1.0 feed (RFC 4287).
type atomFeed struct {
	XMLName xml.Name    `xml:"http://www.w3.org/2005/Atom feed"`
	Lang    string      `xml:"xml:lang,attr"`
	ID      string      `xml:"id"`
	Title   string      `xml:"title"`
	Updated string      `xml:"updated"`
	Author  atomAuthor  `xml:"author"`
	Links   []atomLink  `xml:"link"`
	Entries []atomEntry `xml:"entry"`
}

type atomAuthor struct {
	Name string `xml:"name"`
}

type atomLink struct {
	Rel  string `xml:"rel,attr"`
	Type string `xml:"type,attr"`
	Href string `xml:"href,attr"`
}

type atomEntry struct {
	ID        string   `xml:"id"`
	Title     string   `xml:"title"`
	Published string   `xml:"published"`
	Updated   string   `xml:"updated"`
	Link      atomLink `xml:"link"`
	Content   atomText `xml:"content"`
}

type atomText struct {
	Type string `xml:"type,attr"`
	Text string `xml:",chardata"`
}

func (f *variant) atomOf() atomFeed {
	page, address := f.rendered.view.Page, f.rendered.address(f.url)
	feed := atomFeed{
		Lang: string(f.lang), ID: f.tag(""), Title: page.Name, Updated: stamp(f.feedChanged()), Author: atomAuthor{page.Name},
		Links: []atomLink{{"self", "application/atom+xml", address + "/feed.atom"}, {"alternate", "text/html", address}},
	}
	for _, i := range f.feedIncidents() {
		feed.Entries = append(feed.Entries, atomEntry{
			ID: f.tag(incidentPath(i.ID)), Title: i.Name, Published: stamp(i.CreatedAt), Updated: stamp(changed(i)),
			Link: atomLink{"alternate", "text/html", address + incidentPath(i.ID)}, Content: atomText{"text", f.feedText(i)},
		})
	}
	return feed
}

func atomDocument(before *document, feed atomFeed) (*document, error) {
	body, err := xml.MarshalIndent(feed, "", " ")
	if err != nil {
		return nil, fmt.Errorf("write Atom: %w", err)
	}
	return newDocument(before, atomForm, append([]byte(xml.Header), body...)), nil
}
