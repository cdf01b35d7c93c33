package payload

import "fmt"

// Format says how the body of a notice is written: which protocol its client speaks. It is stored with the body.
type Format string

// Honeybadger is the format of the contract. Bodies that were stored before there were formats have it, too.
const Honeybadger Format = ""

// Body is the body of a notice as its client sent it.
type Body struct {
	Format Format
	JSON   []byte
}

// reader reads bodies of one format.
type reader struct {
	read   func(json []byte, searchField string) (Payload, error)
	facets func(json []byte, searchField string) (payloadFacets, error) // all values that a search can ask for
}

// readers has one line for each format.
var readers = map[Format]reader{
	Honeybadger: {readHoneybadger, honeybadgerFacets},
}

// reader returns the reader of the body's format. The error says that an older version of sett reads what a newer one stored.
func (b Body) reader() (reader, error) {
	r, ok := readers[b.Format]
	if !ok {
		return r, fmt.Errorf("this version of sett cannot read bodies in the format %q", b.Format)
	}
	return r, nil
}

// Read reads a stored body; searchField is the project's user_search_field. The error is that of a body that is not in its format.
func Read(b Body, searchField string) (Payload, error) {
	r, err := b.reader()
	if err != nil {
		return Payload{}, err
	}
	return r.read(b.JSON, searchField)
}
