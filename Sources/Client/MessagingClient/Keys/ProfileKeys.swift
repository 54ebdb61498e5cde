package import Basics

/// An identity's keys as an app stores them itself, in domains without key management. All four in base64url.
package struct ProfileKeys: Sendable, Hashable {
  package var publicSigning: String
  package var publicEncryption: String
  package var privateSigning: Secret<String>
  package var privateEncryption: Secret<String>

  package init(
    publicSigning: String, publicEncryption: String, privateSigning: Secret<String>, privateEncryption: Secret<String>
  ) {
    self.publicSigning = publicSigning
    self.publicEncryption = publicEncryption
    self.privateSigning = privateSigning
    self.privateEncryption = privateEncryption
  }
}
