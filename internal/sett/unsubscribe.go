package sett

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Unsubscribing is a user who follows the link that ends mails about a project.
type Unsubscribing struct {
	User      Person
	ProjectID int64
	Project   string // its name
	Alerts    PersonalAlerts
}

// NewUnsubscribeKey draws a key for UnsubscribeToken.
func NewUnsubscribeKey(source io.Reader) []byte {
	key := make([]byte, 32)
	_, _ = io.ReadFull(source, key) // never fails
	return key
}

// UnsubscribeToken returns what a link has that ends the mails to a user about a project. Nobody can make it who does not
// know the key, and it lets nobody do anything else.
func UnsubscribeToken(userID, projectID int64, key []byte) string {
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "unsubscribe %d %d", userID, projectID)
	return fmt.Sprintf("%d.%d.%s", userID, projectID, base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:16]))
}

// SubjectOfUnsubscribe returns whose mails about which project a token says that it ends; ok is false for what is none.
func SubjectOfUnsubscribe(token string) (userID, projectID int64, ok bool) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return 0, 0, false
	}
	userID, badUser := strconv.ParseInt(parts[0], 10, 64)
	projectID, badProject := strconv.ParseInt(parts[1], 10, 64)
	return userID, projectID, badUser == nil && badProject == nil
}

// CheckUnsubscribeToken reports whether a token is that of the key, in a time that tells nothing of it.
func CheckUnsubscribeToken(token string, userID, projectID int64, key []byte) bool {
	return hmac.Equal([]byte(token), []byte(UnsubscribeToken(userID, projectID, key)))
}
