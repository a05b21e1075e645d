package dwarf

// The forms of values (DWARF 5, table 7.6; GNU's for split and shared files).
const (
	formAddr          = 0x01
	formBlock2        = 0x03
	formBlock4        = 0x04
	formData2         = 0x05
	formData4         = 0x06
	formData8         = 0x07
	formString        = 0x08
	formBlock         = 0x09
	formBlock1        = 0x0a
	formData1         = 0x0b
	formFlag          = 0x0c
	formSData         = 0x0d
	formStrp          = 0x0e
	formUData         = 0x0f
	formRefAddr       = 0x10
	formRef1          = 0x11
	formRef2          = 0x12
	formRef4          = 0x13
	formRef8          = 0x14
	formRefUData      = 0x15
	formIndirect      = 0x16
	formSecOffset     = 0x17
	formExprLoc       = 0x18
	formFlagPresent   = 0x19
	formStrx          = 0x1a
	formAddrx         = 0x1b
	formRefSup4       = 0x1c
	formStrpSup       = 0x1d
	formData16        = 0x1e
	formLineStrp      = 0x1f
	formRefSig8       = 0x20
	formImplicitConst = 0x21
	formLocListx      = 0x22
	formRngListx      = 0x23
	formRefSup8       = 0x24
	formStrx1         = 0x25
	formStrx2         = 0x26
	formStrx3         = 0x27
	formStrx4         = 0x28
	formAddrx1        = 0x29
	formAddrx2        = 0x2a
	formAddrx3        = 0x2b
	formAddrx4        = 0x2c
	formGNUAddrIndex  = 0x1f01
	formGNUStrIndex   = 0x1f02
	formGNURefAlt     = 0x1f20
	formGNUStrpAlt    = 0x1f21
)

// layout is what the size of a value depends on.
type layout struct {
	version    uint16
	addrSize   uint8 // 4 or 8
	offsetSize uint8 // 4 or 8
}

// value is an attribute's value: a number, an offset, or for an inline string its
// offset in the section. Blocks have no value.
type value struct {
	form uint16 // 0: the entry lacks the attribute
	u    uint64
}

func (v value) present() bool { return v.form != 0 }

// isAddress reports whether the value is an address rather than a number to add to
// one.
func (v value) isAddress() bool {
	switch v.form {
	case formAddr, formAddrx, formAddrx1, formAddrx2, formAddrx3, formAddrx4, formGNUAddrIndex:
		return true
	}
	return false
}

// fixedSize returns the size of a form in bytes, if it is the same for all values.
func (l layout) fixedSize(form uint16) (n int, fixed bool) {
	switch form {
	case formFlagPresent, formImplicitConst:
		return 0, true
	case formData1, formFlag, formRef1, formStrx1, formAddrx1:
		return 1, true
	case formData2, formRef2, formStrx2, formAddrx2:
		return 2, true
	case formStrx3, formAddrx3:
		return 3, true
	case formData4, formRef4, formRefSup4, formStrx4, formAddrx4:
		return 4, true
	case formData8, formRef8, formRefSig8, formRefSup8:
		return 8, true
	case formData16:
		return 16, true
	case formAddr:
		return int(l.addrSize), true
	case formStrp, formSecOffset, formStrpSup, formLineStrp, formGNURefAlt, formGNUStrpAlt:
		return int(l.offsetSize), true
	case formRefAddr:
		if l.version <= 2 {
			return int(l.addrSize), true
		}
		return int(l.offsetSize), true
	}
	return 0, false
}

// read reads a value. An unknown form ends the reading, because its size is unknown.
func (l layout) read(c *cursor, form uint16, implicit int64) value {
	if form == formIndirect {
		form = uint16(min(c.uleb(), 0xffff))
		if form == formIndirect || form == formImplicitConst {
			c.fail(errForm)
		}
	}
	v := value{form: form}
	n, fixed := l.fixedSize(form)
	switch {
	case form == formImplicitConst:
		v.u = uint64(implicit)
	case form == formFlagPresent:
		v.u = 1
	case form == formData16:
		c.skip(16)
	case fixed:
		v.u = c.uint(n)
	case form == formSData:
		v.u = uint64(c.sleb())
	case form == formString:
		v.u = c.offset()
		c.skipString()
	case isULEB(form):
		v.u = c.uleb()
	default:
		skipBlock(c, form)
	}
	return v
}

// skip skips a value.
func (l layout) skip(c *cursor, form uint16) {
	n, fixed := l.fixedSize(form)
	switch {
	case fixed:
		c.skip(uint64(n))
	case form == formSData, isULEB(form):
		c.skipLEB()
	case form == formString:
		c.skipString()
	case form == formIndirect:
		l.read(c, form, 0)
	default:
		skipBlock(c, form)
	}
}

func isULEB(form uint16) bool {
	switch form {
	case formUData, formRefUData, formStrx, formAddrx, formLocListx, formRngListx, formGNUAddrIndex, formGNUStrIndex:
		return true
	}
	return false
}

func skipBlock(c *cursor, form uint16) {
	switch form {
	case formBlock1:
		c.skip(c.uint(1))
	case formBlock2:
		c.skip(c.uint(2))
	case formBlock4:
		c.skip(c.uint(4))
	case formBlock, formExprLoc:
		c.skip(c.uleb())
	default:
		c.fail(errForm)
	}
}
