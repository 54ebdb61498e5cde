extension IdentityFile.Problem: CustomStringConvertible {
  /// A sentence for people.
  public var description: String {
    switch self {
    case .inaccessible(let reason): "The identity file cannot be read or written: \(reason)."
    case .unreadable: "This file is not an identity of Parley, or it is one of a later version."
    case .readableByOthers:
      "Other users of this machine can read the identity file. Allow it to yourself alone (chmod 600)."
    case .passphraseRequired: "The identity file has a passphrase, which is needed to open it."
    case .wrongPassphrase: "The passphrase of the identity file is another one, or the file was changed."
    case .replaced: "The identity file holds another key now, so nothing was written into it."
    case .failed: "The identity file could not be encrypted or decrypted."
    }
  }
}
