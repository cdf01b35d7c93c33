package event

import "strings"

// Key returns the value of api_key at the top level of a JSON body, or "". The error is that of a body that is not JSON,
// because it is then unknown whether there is a key.
func Key(body []byte) (key string, err error) {
	s := scanner{doc: document(body)}
	for name := range s.members {
		if name == "api_key" {
			key = strings.TrimSpace(s.text())
		} else {
			s.value()
		}
	}
	if err := s.end(); err != nil {
		return "", err
	}
	return key, nil
}
