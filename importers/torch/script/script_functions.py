# SPDX-License-Identifier: Apache-2.0
# What torch defines in TorchScript itself. `aten` and `prim` hold overloads after the schemas of an
# operator; `until_N` the meaning that an operator, named NAME__OVERLOAD, has in archives of an
# operator-set version below N (pytorch torch/csrc/jit/operator_upgraders/README.md).
class aten:
  def mul(a: float, b: Tensor) -> Tensor:
    return torch.mul(b, a)
  def add(a: float, b: Tensor) -> Tensor:
    return torch.add(b, a)
  def sub(a: float, b: Tensor) -> Tensor:
    return torch.add(torch.neg(b), a)
  def div(a: float, b: Tensor) -> Tensor:
    return torch.mul(torch.reciprocal(b), a)
  def eq(a: float, b: Tensor) -> Tensor:
    return torch.eq(b, a)
  def ne(a: float, b: Tensor) -> Tensor:
    return torch.ne(b, a)
  def mul(a: int, b: Tensor) -> Tensor:
    return torch.mul(b, a)
  def add(a: int, b: Tensor) -> Tensor:
    return torch.add(b, a)
  def sub(a: int, b: Tensor) -> Tensor:
    return torch.add(torch.neg(b), a)
  def div(a: int, b: Tensor) -> Tensor:
    return torch.mul(torch.reciprocal(b), a)
  def eq(a: int, b: Tensor) -> Tensor:
    return torch.eq(b, a)
  def ne(a: int, b: Tensor) -> Tensor:
    return torch.ne(b, a)
  def mul(a: complex, b: Tensor) -> Tensor:
    return torch.mul(b, a)
  def add(a: complex, b: Tensor) -> Tensor:
    return torch.add(b, a)
  def sub(a: complex, b: Tensor) -> Tensor:
    return torch.add(torch.neg(b), a)
  def div(a: complex, b: Tensor) -> Tensor:
    return torch.mul(torch.reciprocal(b), a)
  def eq(a: complex, b: Tensor) -> Tensor:
    return torch.eq(b, a)
  def ne(a: complex, b: Tensor) -> Tensor:
    return torch.ne(b, a)
  def lt(a: float, b: Tensor) -> Tensor:
    return torch.gt(b, a)
  def le(a: float, b: Tensor) -> Tensor:
    return torch.ge(b, a)
  def gt(a: float, b: Tensor) -> Tensor:
    return torch.lt(b, a)
  def ge(a: float, b: Tensor) -> Tensor:
    return torch.le(b, a)
  def lt(a: int, b: Tensor) -> Tensor:
    return torch.gt(b, a)
  def le(a: int, b: Tensor) -> Tensor:
    return torch.ge(b, a)
  def gt(a: int, b: Tensor) -> Tensor:
    return torch.lt(b, a)
  def ge(a: int, b: Tensor) -> Tensor:
    return torch.le(b, a)
  def floordiv(self: Tensor, other: Tensor) -> Tensor:
    return torch.floor_divide(self, other)
  def floordiv(self: Tensor, other: number) -> Tensor:
    return torch.floor_divide(self, other)
  def _single(x: int) -> List[int]:
    return [x]
  def _single(x: List[int]) -> List[int]:
    return x
  def _pair(x: int) -> List[int]:
    return [x, x]
  def _pair(x: List[int]) -> List[int]:
    return x
  def _triple(x: int) -> List[int]:
    return [x, x, x]
  def _triple(x: List[int]) -> List[int]:
    return x
  def _quadruple(x: int) -> List[int]:
    return [x, x, x, x]
  def _quadruple(x: List[int]) -> List[int]:
    return x
  def _single(x: float) -> List[float]:
    return [x]
  def _single(x: List[float]) -> List[float]:
    return x
  def _pair(x: float) -> List[float]:
    return [x, x]
  def _pair(x: List[float]) -> List[float]:
    return x
  def _triple(x: float) -> List[float]:
    return [x, x, x]
  def _triple(x: List[float]) -> List[float]:
    return x
  def _quadruple(x: float) -> List[float]:
    return [x, x, x, x]
  def _quadruple(x: List[float]) -> List[float]:
    return x
  def mT(a: Tensor) -> Tensor:
    return torch.transpose(a, -2, -1)
  def mH(a: Tensor) -> Tensor:
    return torch.conj(torch.transpose(a, -2, -1))
class prim:
  def ndim(a: Tensor) -> int:
    return torch.dim(a)
  def T(a: Tensor) -> Tensor:
    return torch.numpy_T(a)
  def H(a: Tensor) -> Tensor:
    return torch.matrix_H(a)
  def shape(a: Tensor) -> List[int]:
    return torch.size(a)
class until_4:
  def div__Tensor(self: Tensor, other: Tensor) -> Tensor:
    if torch.is_floating_point(self) or torch.is_floating_point(other):
      r = torch.div(self, other, rounding_mode=None)
    else:
      r = torch.div(self, other, rounding_mode="trunc")
    return r
  def div__Scalar(self: Tensor, other: number) -> Tensor:
    if torch.is_floating_point(self) or isinstance(other, float):
      r = torch.div(self, other, rounding_mode=None)
    else:
      r = torch.div(self, other, rounding_mode="trunc")
    return r
  def div__out(self: Tensor, other: Tensor, out: Tensor) -> Tensor:
    if torch.is_floating_point(self) or torch.is_floating_point(other) or torch.is_floating_point(out):
      r = torch.div(self, other, rounding_mode=None, out=out)
    else:
      r = torch.div(self, other, rounding_mode="trunc", out=out)
    return r
  def div___Tensor(self: Tensor, other: Tensor) -> Tensor:
    if torch.is_floating_point(self) or torch.is_floating_point(other):
      r = torch.div_(self, other, rounding_mode=None)
    else:
      r = torch.div_(self, other, rounding_mode="trunc")
    return r
  def div___Scalar(self: Tensor, other: number) -> Tensor:
    if torch.is_floating_point(self) or isinstance(other, float):
      r = torch.div_(self, other, rounding_mode=None)
    else:
      r = torch.div_(self, other, rounding_mode="trunc")
    return r
class until_5:
  def full(size: List[int], fill_value: number, dtype: Optional[int]=None, layout: Optional[int]=None, device: Optional[Device]=None, pin_memory: Optional[bool]=None) -> Tensor:
    if dtype is None:
      value : number = float(fill_value)
    else:
      value : number = fill_value
    return torch.full(size, value, dtype=dtype, layout=layout, device=device, pin_memory=pin_memory)
class until_8:
  def linspace(start: number, end: number, steps: Optional[int]=None, dtype: Optional[int]=None, layout: Optional[int]=None, device: Optional[Device]=None, pin_memory: Optional[bool]=None) -> Tensor:
    if steps is None:
      count = 100
    else:
      count = unchecked_cast(int, steps)
    return torch.linspace(start, end, count, dtype=dtype, layout=layout, device=device, pin_memory=pin_memory)
class until_9:
  def logspace(start: number, end: number, steps: Optional[int]=None, base: float=10., dtype: Optional[int]=None, layout: Optional[int]=None, device: Optional[Device]=None, pin_memory: Optional[bool]=None) -> Tensor:
    if steps is None:
      count = 100
    else:
      count = unchecked_cast(int, steps)
    return torch.logspace(start, end, count, base, dtype=dtype, layout=layout, device=device, pin_memory=pin_memory)
class until_10:
  def gelu(self: Tensor) -> Tensor:
    return torch.gelu(self, approximate="none")
  def gelu__out(self: Tensor, out: Tensor) -> Tensor:
    return torch.gelu(self, approximate="none", out=out)
