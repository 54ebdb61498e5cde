public import Basics

// Identifiers as literals: `SlotChange(mid: "v", publication: nil)`.

extension MID: ExpressibleByStringInterpolation {
  public init(stringLiteral text: String) { self.init(rawValue: text) }
}

extension PublicationID: ExpressibleByStringInterpolation {
  public init(stringLiteral text: String) { self.init(rawValue: text) }
}
