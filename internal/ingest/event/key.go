package event

import (
	"strings"

	"sett/internal/sett/scan"
)

// Key returns the value of api_key at the top level of a JSON body, or "". The error is that of a body that is not JSON,
// because it is then unknown whether there is a key.
func Key(body []byte) (key string, err error) {
	s := scan.New(string(body))
	for name := range s.Members {
		if name == "api_key" {
			key = strings.TrimSpace(s.Text())
		} else {
			s.Value()
		}
	}
	if err := s.End(); err != nil {
		return "", err
	}
	return key, nil
}
