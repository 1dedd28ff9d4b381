/** A source file, with the expected definitions and uses of a name in it. */
export interface Source {
  /** Its path. */
  file: string;
  /** The name of its language in a call. */
  language: string;
  /** Its text. */
  text: string;
  /** The name. */
  name: string;
  /** The definitions of the name: line, kind and qualified name. */
  definitions: string[];
  /** The other uses of the name. */
  references: string[];
  /** The expected outline: lines, kind and name, indented by two blanks for each level. */
  outline: string[];
}

/** At least one file of every language. In each, comments and strings contain the name too. */
export const sources: readonly Source[] = [
  {
    file: "web/shapes.js",
    language: "javascript",
    name: "area",
    text: `import { area as base } from "./area.js";
// area is not used here: "area"
export function outer(x) {
  const area = (y) => y; // a shadow
  return area(x) + base(x);
}
class Shape {
  #side = 1;
  static area = () => "area";
  get area() { return this.#side; }
}
exports.area = function (area, { a, b: [c] }) {
  return new Shape().area;
};
`,
    definitions: [
      "4 function outer.area",
      "9 method Shape.area",
      "10 method Shape.area",
      "12 function area",
      "12 parameter area.area",
    ],
    references: ["1 import area", "5 call area in outer", "13 use area in area"],
    outline: [
      "3-6 function outer",
      "  4 function area",
      "7-11 class Shape",
      "  8 field #side",
      "  9 method area",
      "  10 method area",
      "12-14 function area",
    ],
  },
  {
    file: "web/app.jsx",
    language: "javascript",
    name: "Panel",
    text: `const Panel = ({ title }) => <p>Panel {title}</p>;
export default function App() {
  return <Panel title="Panel"><Panel.Body /></Panel>;
}
`,
    definitions: ["1 function Panel"],
    references: ["3 call Panel in App", "3 use Panel in App", "3 use Panel in App"],
    outline: ["1 function Panel", "2-4 function App"],
  },
  {
    file: "web/shapes.ts",
    language: "typescript",
    name: "Shape",
    text: `import type { Shape as Other } from "./other.ts";
export interface Shape<T> {
  readonly side: T;
  area(scale: number): number;
}
export type Pair = [Shape<number>, Other];
export enum Colour { Red, Green = 2 }
namespace Inner {
  export abstract class Shape { abstract area(): void; }
}
const limit = 3, make = (Shape: Shape<number>) => Shape;
function use<T extends Shape<T>>({ side }: Shape<T>, ...rest: T[]): Inner.Shape {
  return new Inner.Shape();
}
`,
    definitions: [
      "2 interface Shape",
      "9 class Inner.Shape",
      "11 parameter make.Shape",
    ],
    references: [
      "1 import Shape",
      "6 type Shape",
      "11 type Shape in make",
      "11 use Shape in make",
      "12 type Shape in use",
      "12 type Shape in use",
      "12 type Shape in use",
      "13 call Shape in use",
    ],
    outline: [
      "2-5 interface Shape",
      "  3 property side",
      "  4 method area",
      "6 type Pair",
      "7 enum Colour",
      "  7 member Red",
      "  7 member Green",
      "8-10 namespace Inner",
      "  9 class Shape",
      "    9 method area",
      "11 constant limit",
      "11 function make",
      "12-14 function use",
    ],
  },
  {
    file: "web/view.tsx",
    language: "typescript",
    name: "View",
    text: `export const View = (props: { size: number }) => <b>{props.size}</b>;
export const all = <View size={1} />;
`,
    definitions: ["1 function View"],
    references: ["2 call View"],
    outline: ["1 function View", "2 constant all"],
  },
  {
    file: "shapes.py",
    language: "python",
    name: "größe",
    text: `from shapes import größe as other
LIMIT: int = 3
class Shape(Base):
    """größe"""
    @property
    def größe(self, x=LIMIT, *args: int) -> float:
        def größe(inner):
            return inner
        return größe(self)
async def größe(größe):
    for größe, (a, *b) in größe: pass
    with open(a) as größe: pass
    return [größe for größe in a] or Shape().größe
`,
    definitions: [
      "6 method Shape.größe",
      "7 function Shape.größe.größe",
      "10 function größe",
      "10 parameter größe.größe",
      "11 variable größe.größe",
      "12 variable größe.größe",
      "13 variable größe.größe",
    ],
    references: [
      "1 import größe",
      "9 call größe in Shape.größe",
      "11 use größe in größe",
      "13 use größe in größe",
      "13 use größe in größe",
    ],
    outline: [
      "2 variable LIMIT",
      "3-9 class Shape",
      "  6-9 method größe",
      "    7-8 function größe",
      "10-13 function größe",
    ],
  },
  {
    file: "shapes.go",
    language: "go",
    name: "Area",
    text: `package shapes

import fmt "fmt"

const Limit, Other = 3, 4

type Shape[T any] struct {
	Side T
}
type Areaer interface {
	Area(scale float64) float64
}

func (s *Shape[T]) Area(scale float64) float64 {
	Area := s.Side // Area
	for i, x := range y {
		fmt.Println("Area", i)
	}
	return Area
}
func Area(s Areaer) float64 { return s.Area(1) + Area(s) }
`,
    definitions: [
      "11 method Areaer.Area",
      "14 method Shape.Area",
      "15 variable Shape.Area.Area",
      "21 function Area",
    ],
    references: [
      "19 use Area in Shape.Area",
      "21 call Area in Area",
      "21 call Area in Area",
    ],
    outline: [
      "5 constant Limit",
      "5 constant Other",
      "7-9 struct Shape",
      "  8 field Side",
      "10-12 interface Areaer",
      "  11 method Area",
      "14-20 method Area",
      "21 function Area",
    ],
  },
  {
    file: "shapes.rs",
    language: "rust",
    name: "Shape",
    text: `use crate::other::{Shape as Other, area};
pub struct Shape<T> { side: T }
pub enum Kind { Round(u32), Flat { width: u32 } }
pub trait Area { fn area(&self) -> f64; }
impl<T> Area for Shape<T> {
    fn area(&self) -> f64 {
        let Shape { side, .. } = self; // Shape
        match side { Kind::Round(n) => n, other => 1 }
    }
}
mod inner { pub struct Shape; pub fn make() -> Shape { Shape {} } }
macro_rules! square { ($x:expr) => { $x * $x }; }
fn main() { let s: Shape<u32> = Shape::new("Shape"); square!(s); }
`,
    definitions: ["2 struct Shape", "11 struct inner::Shape"],
    references: [
      "1 import Shape",
      "5 type Shape in Shape",
      "7 type Shape in Shape::area",
      "11 type Shape in inner::make",
      "11 call Shape in inner::make",
      "13 type Shape in main",
      "13 use Shape in main",
    ],
    outline: [
      "2 struct Shape",
      "  2 field side",
      "3 enum Kind",
      "  3 variant Round",
      "  3 variant Flat",
      "    3 field width",
      "4 trait Area",
      "  4 method area",
      "5-10 impl Shape",
      "  6-9 method area",
      "11 module inner",
      "  11 struct Shape",
      "  11 function make",
      "12 macro square",
      "13 function main",
    ],
  },
  {
    file: "Shape.java",
    language: "java",
    name: "area",
    text: `import static geo.Shapes.area;
public class Shape extends Base implements Area {
  private double side = 1, area;
  Shape(double side) { this.side = side; }
  @Override public double area(int scale) {
    double area = scale; // area
    return new Shape(1).area(2) + area;
  }
  enum Kind { ROUND, FLAT }
  record Point(int x, int area) {}
  interface Area { double area(int scale); }
  @interface Note { String value(); }
  void each() { for (int area : areas) list.map(area -> "area"); }
}
`,
    definitions: [
      "3 field Shape.area",
      "5 method Shape.area",
      "6 variable Shape.area.area",
      "10 field Shape.Point.area",
      "11 method Shape.Area.area",
      "13 variable Shape.each.area",
      "13 parameter Shape.each.area",
    ],
    references: ["1 import area", "7 call area in Shape.area", "7 use area in Shape.area"],
    outline: [
      "2-14 class Shape",
      "  3 field side",
      "  3 field area",
      "  4 constructor Shape",
      "  5-8 method area",
      "  9 enum Kind",
      "    9 member ROUND",
      "    9 member FLAT",
      "  10 record Point",
      "    10 field x",
      "    10 field area",
      "  11 interface Area",
      "    11 method area",
      "  12 annotation Note",
      "    12 method value",
      "  13 method each",
    ],
  },
  {
    file: "shapes.c",
    language: "c",
    name: "area",
    text: `#define LIMIT 3
#define area_of(x) ((x) * area(x))
struct shape { double side; int (*draw)(int); };
typedef struct { int area; } point_t;
static int total = 0, *cursor, table[3];
double area(const struct shape *s, double scale);
double area(const struct shape *s, double scale) {
  int class = 1, new = 2; /* area */
  return area(s, scale) + class * new;
}
int *find(point_t *area, int n) { return area->area[n]; }
static int (*handler)(int) = area;
`,
    definitions: [
      "4 field point_t::area",
      "6 declaration area",
      "7 function area",
      "11 parameter find::area",
    ],
    references: [
      "9 call area in area",
      "11 use area in find",
      "11 use area in find",
      "12 use area",
    ],
    outline: [
      "1 macro LIMIT",
      "2 macro area_of",
      "3 struct shape",
      "  3 field side",
      "  3 field draw",
      "4 struct point_t",
      "  4 field area",
      "5 variable total",
      "5 variable cursor",
      "5 variable table",
      "6 declaration area",
      "7-10 function area",
      "11 function find",
      "12 variable handler",
    ],
  },
  {
    file: "shapes.h",
    language: "cpp",
    name: "Shape",
    text: `namespace geo::inner {
template <typename T> class Shape : public Base {
 public:
  explicit Shape(T side) : side_(side) {}
  ~Shape();
  Shape operator+(const Shape& other) const;
 private:
  T side_;
};
}
double Square::area() const { auto [Shape, b] = pair; return Shape; }
using Pair = Shape<int>;
enum class Kind { Round, Flat };
int main() { Shape<int> s(1); auto p = new Shape<int>(2); }
`,
    definitions: [
      "2 class geo::inner::Shape",
      "4 method geo::inner::Shape::Shape",
      "5 declaration geo::inner::Shape::Shape",
      "11 variable Square::area::Shape",
    ],
    references: [
      "6 type Shape in geo::inner::Shape",
      "6 type Shape in geo::inner::Shape",
      "11 use Shape in Square::area",
      "12 type Shape",
      "14 type Shape in main",
      "14 call Shape in main",
    ],
    outline: [
      "1-10 namespace inner",
      "  2-9 class Shape",
      "    4 method Shape",
      "    5 declaration Shape",
      "    6 declaration operator+",
      "    8 field side_",
      "11 method area",
      "12 type Pair",
      "13 enum Kind",
      "  13 member Round",
      "  13 member Flat",
      "14 function main",
    ],
  },
  {
    file: "Shape.cs",
    language: "csharp",
    name: "Area",
    text: `using Area = System.Double;
namespace Geo.Shapes {
  public class Shape<T> : Base {
    private double side = 1;
    public event Action Changed;
    public double Area { get; set; }
    public Shape(double side) { this.side = side; Area = 1; }
    public int Twice(int Area = 1) { int Inner(int x) => x; return Inner(Area) + this.Area("Area"); }
    enum Kind { Round, Flat }
  }
  record Pair(int Area, int B);
}
`,
    definitions: [
      "6 property Geo.Shapes.Shape.Area",
      "8 parameter Geo.Shapes.Shape.Twice.Area",
      "11 property Geo.Shapes.Pair.Area",
    ],
    references: [
      "1 import Area",
      "7 use Area in Geo.Shapes.Shape.Shape",
      "8 use Area in Geo.Shapes.Shape.Twice",
      "8 call Area in Geo.Shapes.Shape.Twice",
    ],
    outline: [
      "2-12 namespace Shapes",
      "  3-10 class Shape",
      "    4 field side",
      "    5 event Changed",
      "    6 property Area",
      "    7 constructor Shape",
      "    8 method Twice",
      "      8 function Inner",
      "    9 enum Kind",
      "      9 member Round",
      "      9 member Flat",
      "  11 record Pair",
      "    11 property Area",
      "    11 property B",
    ],
  },
  {
    file: "shapes.rb",
    language: "ruby",
    name: "area",
    text: `module Geo
  LIMIT = 3
  class Shape < Base
    attr_accessor :side, :area
    def initialize(side, area: 1)
      @side = area
    end
    def area
      area = @side # area
      [1].each { |area, (x, y)| puts area }
    end
    def self.area(n) = new(n)
    alias surface area
  end
end
Geo::Shape.area(2).area
`,
    definitions: [
      "4 attribute Geo::Shape::area",
      "5 parameter Geo::Shape::initialize::area",
      "8 method Geo::Shape::area",
      "9 variable Geo::Shape::area::area",
      "10 parameter Geo::Shape::area::area",
      "12 method Geo::Shape::area",
    ],
    references: [
      "6 use area in Geo::Shape::initialize",
      "10 use area in Geo::Shape::area",
      "13 use area in Geo::Shape::surface",
      "16 call area",
      "16 call area",
    ],
    outline: [
      "1-15 module Geo",
      "  2 constant LIMIT",
      "  3-14 class Shape",
      "    4 attribute side",
      "    4 attribute area",
      "    5-7 method initialize",
      "    8-11 method area",
      "    12 method area",
      "    13 method surface",
    ],
  },
  {
    file: "shapes.php",
    language: "php",
    name: "$area",
    text: `<p>area</p>
<?php
namespace Geo\\Shapes;
use Base\\area;
const LIMIT = 3;
function area($scale, ...$rest) { $area = $scale; return $area; } // area
trait Named { protected string $name = "area"; }
enum Kind: string { case Round = "r"; }
class Shape extends Thing {
  private static float $area;
  public function area(int $scale): float {
    foreach ($xs as $k => $area) {}
    return $this->area($scale) + area(1) + self::$area;
  }
}
`,
    definitions: [
      "6 function area",
      "6 variable area::area",
      "10 field Shape::area",
      "11 method Shape::area",
      "12 variable Shape::area::area",
    ],
    references: [
      "4 import area",
      "6 use area in area",
      "13 call area in Shape::area",
      "13 call area in Shape::area",
      "13 use area in Shape::area",
    ],
    outline: [
      "3 namespace Shapes",
      "5 constant LIMIT",
      "6 function area",
      "7 trait Named",
      "  7 field name",
      "8 enum Kind",
      "  8 member Round",
      "9-15 class Shape",
      "  10 field area",
      "  11-14 method area",
    ],
  },
  {
    file: "shapes.sh",
    language: "bash",
    name: "area",
    text: `#!/bin/bash
LIMIT=3
declare -r side=4
area() { local area=$1; echo "$area" area; } # area
function build {
  for x in 1 2; do area "$x"; done
}
build area | area "\${area}"
`,
    definitions: ["4 function area", "4 variable area.area"],
    references: ["4 use area in area", "6 call area in build", "8 call area", "8 use area"],
    outline: ["2 variable LIMIT", "3 variable side", "4 function area", "5-7 function build"],
  },
];
