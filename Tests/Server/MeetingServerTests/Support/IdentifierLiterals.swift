public import Basics

// Identifiers as literals: `SlotChange(mid: "v", publication: nil)`.

extension MID: ExpressibleByUnicodeScalarLiteral, @retroactive ExpressibleByExtendedGraphemeClusterLiteral,
  ExpressibleByStringLiteral, @retroactive ExpressibleByStringInterpolation
{
  public init(stringLiteral text: String) { self.init(rawValue: text) }
}

extension PublicationID: ExpressibleByUnicodeScalarLiteral,
  ExpressibleByExtendedGraphemeClusterLiteral, @retroactive ExpressibleByStringLiteral,
  ExpressibleByStringInterpolation
{
  public init(stringLiteral text: String) { self.init(rawValue: text) }
}
