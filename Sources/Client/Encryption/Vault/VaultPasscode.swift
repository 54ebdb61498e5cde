package import Basics

/// A passcode in the one form that every device makes of it: NFKC, without blanks around it, digits of any script as
/// those of ASCII. Capitals count.
package struct VaultPasscode: Sendable {
  package static let length = 10...128

  package let value: Secret<String>

  /// A passcode as somebody types it to open a vault. Its strength isn't looked at.
  package init(entered text: String) {
    let plain = CompatibilityForm.nfkc(text).unicodeScalars.map { scalar -> Unicode.Scalar in
      guard scalar.properties.numericType == .decimal, let value = scalar.properties.numericValue else {
        return scalar
      }
      return Unicode.Scalar(UInt8(ascii: "0") + UInt8(value))
    }
    let isBlank = { (scalar: Unicode.Scalar) in scalar.properties.isWhitespace }
    let inner = plain.drop(while: isBlank).reversed().drop(while: isBlank).reversed()
    value = Secret(String(String.UnicodeScalarView(inner)))
  }

  /// A passcode for a new vault.
  ///
  /// - Parameter known: Names and words that others know of its owner: a passcode isn't made of them.
  /// - Throws: The reason why it is weak.
  package init(new text: String, knowing known: [String] = []) throws(PasscodeWeakness) {
    self.init(entered: text)
    if let weakness = PasscodeWeakness(of: value.value, knowing: known) { throw weakness }
  }
}

/// Why a passcode is too easy to guess.
package enum PasscodeWeakness: String, Error, Hashable, Sendable {
  case tooShort, tooLong
  /// Digits only, and fewer than ``minimumDigits``.
  case onlyDigits
  /// Fewer than five different characters, or a short part again and again.
  case repeated
  /// Mostly a row of the alphabet, of numbers or of a keyboard.
  case sequence
  /// Mostly a word that people often choose.
  case common
  /// Mostly a name that others know.
  case personal

  /// Digits of a passcode that has nothing else.
  package static let minimumDigits = 16
  /// Characters that have to be left when rows, words and names are taken out.
  private static let remainder = 6

  /// The advice, as a sentence.
  package var sentence: String {
    switch self {
    case .tooShort: "The passcode needs at least \(VaultPasscode.length.lowerBound) characters."
    case .tooLong: "The passcode has more than \(VaultPasscode.length.upperBound) characters."
    case .onlyDigits: "Digits alone are guessed quickly: take letters too, or at least \(Self.minimumDigits) digits."
    case .repeated: "The passcode repeats itself. Take four words that have nothing to do with each other."
    case .sequence: "Rows of letters, digits or keys are tried first. Take four words instead."
    case .common: "Passcodes like this one are tried first. Take four words that have nothing to do with each other."
    case .personal: "The passcode has little besides a name that others know. Add words."
    }
  }

  /// The weakness of a passcode in its normal form; nil when it has none of these.
  init?(of passcode: String, knowing known: [String]) {
    let characters = Array(passcode.lowercased())
    if characters.count < VaultPasscode.length.lowerBound {
      self = .tooShort
    } else if characters.count > VaultPasscode.length.upperBound {
      self = .tooLong
    } else if Set(characters).count < 5 || Self.isPeriodic(characters) {
      self = .repeated
    } else if Self.rest(of: characters, without: Self.rows) < Self.remainder {
      self = .sequence
    } else if Self.rest(of: Self.unmasked(characters), without: Self.words) < Self.remainder {
      self = .common
    } else if Self.rest(of: characters, without: Self.names(known), from: 3) < Self.remainder {
      self = .personal
    } else if characters.allSatisfy({ $0.isNumber }), characters.count < Self.minimumDigits {
      self = .onlyDigits
    } else {
      return nil
    }
  }

  /// Whether a part of at most half the length fills the whole by repetition, however it is cut at the end.
  private static func isPeriodic(_ characters: [Character]) -> Bool {
    (1...characters.count / 2).contains { period in
      characters.indices.dropFirst(period).allSatisfy { characters[$0] == characters[$0 - period] }
    }
  }

  /// How many characters stay when each part that is in one of the texts is taken out, from `minimum` characters on.
  private static func rest(
    of characters: [Character], without texts: [[Character]], from minimum: Int = 4
  ) -> Int {
    var left = 0
    var index = 0
    while index < characters.count {
      var longest = 0
      for text in texts {
        for start in text.indices {
          var length = 0
          while index + length < characters.count, start + length < text.count,
            characters[index + length] == text[start + length]
          {
            length += 1
          }
          longest = max(longest, length)
        }
      }
      if longest >= minimum { index += longest } else { (left, index) = (left + 1, index + 1) }
    }
    return left
  }

  /// Letters in the place of the signs that people put for them.
  private static func unmasked(_ characters: [Character]) -> [Character] {
    let letters: [Character: Character] = [
      "0": "o", "1": "i", "3": "e", "4": "a", "5": "s", "7": "t", "@": "a", "$": "s", "!": "i",
    ]
    return characters.map { letters[$0] ?? $0 }
  }

  private static func names(_ known: [String]) -> [[Character]] {
    known.flatMap { CompatibilityForm.nfkc($0).lowercased().split { !$0.isLetter && !$0.isNumber } }.map(Array.init)
  }

  private static let rows: [[Character]] = {
    let rows = [
      "abcdefghijklmnopqrstuvwxyz", "01234567890", "qwertyuiopasdfghjklzxcvbnm", "qwertzuiopasdfghjklyxcvbnm",
      "azertyuiopqsdfghjklmwxcvbn", "1q2w3e4r5t6y7u8i9o0p", "a1b2c3d4e5f6g7h8i9j0", "qazwsxedcrfvtgbyhnujmikolp",
    ]
    return rows.flatMap { [Array($0), Array($0.reversed())] }
  }()

  /// Words of the lists that guessing begins with. Short, since most of those lists has fewer than ten characters.
  private static let words: [[Character]] = [
    "password", "passwort", "passcode", "passphrase", "iloveyou", "letmein", "welcome", "sunshine", "princess",
    "football", "baseball", "superman", "batman", "dragon", "monkey", "shadow", "master", "michael", "charlie",
    "jessica", "jennifer", "computer", "internet", "samsung", "starwars", "whatever", "trustno", "changeme", "secret",
    "admin", "administrator", "default", "geheim", "hallo", "motdepasse", "contrasena", "parley", "vault", "meeting",
    "correcthorsebatterystaple", "summer", "winter", "spring", "autumn", "january", "february", "march", "april",
    "june", "july", "august", "september", "october", "november", "december", "2019", "2020", "2021", "2022", "2023",
    "2024", "2025", "2026", "2027",
  ].map { unmasked(Array($0)) }
}
