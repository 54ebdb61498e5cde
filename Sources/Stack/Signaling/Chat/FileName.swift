/// Cleans the names that people give files, so that a name can leave no folder, hide its ending or break a header.
public enum FileName {
  /// The longest name, in bytes of UTF-8: what every file system takes, with room for a number behind.
  public static let maximumBytes = 180

  /// `text` as the name of one file: the last part of a path, without control characters, direction marks and the
  /// characters that systems give a meaning; `file` where nothing is left.
  public static func clean(_ text: String) -> String {
    let last = text.unicodeScalars.split { $0 == "/" || $0 == "\\" }.last.map { String($0) } ?? ""
    var scalars = String.UnicodeScalarView()
    for character in String(String.UnicodeScalarView(last.unicodeScalars.prefix(4_096))) {
      let isEmoji = character.unicodeScalars.first.map { !$0.isASCII && $0.properties.isEmoji } ?? false
      for scalar in character.unicodeScalars {
        switch scalar.properties.generalCategory {
        // Joiners and tags within one emoji are parts of it (UTS #51).
        case .format where isEmoji: break
        // Other format characters turn the direction of writing and so hide what a name ends with.
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: continue
        default: break
        }
        if scalar.properties.isWhitespace {
          if scalars.last != " " { scalars.append(" ") }
        } else {
          scalars.append("<>:\"|?*".unicodeScalars.contains(scalar) ? "_" : scalar)
        }
      }
    }
    // A dot in front hides a file, one at the end is dropped by some systems.
    while let first = scalars.first, first == "." || first == " " { scalars.removeFirst() }
    while let end = scalars.last, end == "." || end == " " { scalars.removeLast() }
    let name = shorten(String(scalars))
    if name.isEmpty { return "file" }
    let stem = name.prefix { $0 != "." }.uppercased()
    let devices = ["CON", "PRN", "AUX", "NUL"]
    let isNumbered =
      stem.count == 4 && (stem.hasPrefix("COM") || stem.hasPrefix("LPT")) && stem.last?.isNumber == true
    return devices.contains(stem) || isNumbered ? "_" + name : name
  }

  /// Cuts the middle out of a name that is too long: people know a file by its beginning, programs by its end.
  private static func shorten(_ name: String) -> String {
    guard name.utf8.count > maximumBytes else { return name }
    var ending = ""
    if let dot = name.lastIndex(of: "."), name[dot...].utf8.count <= 20 { ending = String(name[dot...]) }
    var stem = ""
    var bytes = ending.utf8.count
    // No character is cut in two: a part of one would be another.
    for character in name {
      bytes += character.utf8.count
      if bytes > maximumBytes { break }
      stem.append(character)
    }
    while stem.last == " " || stem.last == "." { stem.removeLast() }
    return (stem.isEmpty ? "file" : stem) + ending
  }
}
